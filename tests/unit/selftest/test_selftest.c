/* SPDX-License-Identifier: MIT */
/*
 * Proves that pe_selftest() succeeds in a correct build and fails in an incorrect one. The
 * incorrect ones have other rounding modes, or wrong constants in the library or in the test. If
 * the numbers of a build differ, they are printed in the form in which pe.h has them.
 */
#include "../stack.h"

static void this_build_is_right(void **state)
{
    (void)state;
    if (pe_selftest() != PE_OK)
        fail_msg("%s; UINT64_C(0x%016" PRIx64 ")", pe_status_string(pe_selftest()),
                 pe__selftest(0));
    errno = 77;
    assert_int_equal(pe_selftest(), PE_OK); /* a second call also succeeds, and leaves errno */
    assert_int_equal(errno, 77);
}

/* Checks that a status other than PE_OK changes the hash. Here the base is negative. */
static void a_call_that_fails_is_noticed(void **state)
{
    pe__test t;
    (void)state;
    memset(&t, 0, sizeof t);
    pe__test_take(&t, PE_OK, sizeof(float));
    const uint64_t fine = t.hash;
    t.hash = 0;
    pe__test_take(&t, PE_ERR_RANGE, sizeof(float));
    assert_true(t.hash != fine);
    assert_true(pe__selftest(-20000) == 0);
}

/* Checks that the hash is one of numbers, with known values in any byte order, and that each bit
   counts. */
static void the_hash_is_known(void **state)
{
    pe__test t;
    (void)state;
    memset(&t, 0, sizeof t);
    t.x.a_f32[0] = 1.0f, t.x.a_f32[1] = -0.0f;
    pe__test_take(&t, PE_OK, 4);
    const uint64_t one = t.hash;
    assert_true(one == UINT64_C(0xbf5a703c5cb4ec17));
    t.hash = 0;
    t.x.a_f32[1] = 0.0f;
    pe__test_take(&t, PE_OK, 4);
    assert_true(t.hash != one);
    memset(&t, 0, sizeof t);
    t.x.a_f64[0] = -1.5;
    pe__test_take(&t, PE_OK, 8);
    assert_true(t.hash == UINT64_C(0x8b7e358d06bd021a));
    memset(&t, 0, sizeof t);
    t.x.a_f16[0] = 0x3c01;
    pe__test_take(&t, PE_OK, 2);
    assert_true(t.hash == UINT64_C(0xbd659b6d372ac1ef));
}

static void other_rounding_modes_are_noticed(void **state)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    (void)state;
    for (size_t m = 0; m < LENGTH(modes); m++) {
        if (fesetround(modes[m]) != 0) skip();
        const pe_status status = pe_selftest();
        const int kept = fegetround() == modes[m];
        fesetround(FE_TONEAREST);
        assert_int_equal(status, PE_ERR_SELFTEST);
        assert_true(kept);
        assert_int_equal(pe_selftest(), PE_OK);
    }
}

/* Checks that the self-test computes nothing subnormal, so that a program that flushes them passes
   it. */
static void flushing_subnormals_is_fine(void **state)
{
    (void)state;
    if (!flush_subnormals(0)) skip();
    flush_subnormals(1);
    const pe_status status = pe_selftest();
    flush_subnormals(0);
    assert_int_equal(status, PE_OK);
}

/* Runs the self-test, which documents that it takes 64 KB of stack. */
static void *run_selftest(void *wrong) { return pe_selftest() != PE_OK ? wrong : NULL; }

static void the_stack_is_enough(void **state)
{
    painted p;
    (void)state;
    if (SANITIZED) skip();
    stack_open(&p);
    assert_null(stack_run(&p, run_selftest, &p));
    const size_t used = stack_used(&p);
    printf("             %zu bytes of stack\n", used);
    assert_in_range(used, 16 << 10, 64 << 10);
    stack_close(&p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_build_is_right),
        cmocka_unit_test(a_call_that_fails_is_noticed),
        cmocka_unit_test(the_hash_is_known),
        cmocka_unit_test(other_rounding_modes_are_noticed),
        cmocka_unit_test(flushing_subnormals_is_fine),
        cmocka_unit_test(the_stack_is_enough),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
