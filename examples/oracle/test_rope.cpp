// SPDX-License-Identifier: MIT
//
// test_rope: an operator that rotates heads, compared with exact cosines and sines, in the shape of an
// engine's test of operators. It needs no pe: the numbers are files of `posenc table config.json NAME.json`.
//
//     c++ -std=c++11 -O2 examples/oracle/test_rope.cpp -o test_rope && ./test_rope llama3.json ...
//
// Put your operator into rope(). -DDEFECT=1 and 2 are mistakes that this test finds.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#ifndef DEFECT
#define DEFECT 0
#endif

// Returns all numbers of one member of the file, row after row, or none if the file lacks the member.
static std::vector<double> numbers(const std::string &json, const char *name)
{
    std::vector<double> found;
    const size_t at = json.find("\"" + std::string(name) + "\":");
    if (at == std::string::npos) return found;
    const char *c = json.c_str() + json.find(':', at) + 1;
    for (int depth = 0;; c++) {
        if (*c == '[') depth++;
        if (*c == ']') depth--;
        if (*c == '-' || (*c >= '0' && *c <= '9')) {
            char *end;
            found.push_back(std::strtod(c, &end));
            c = end - 1;
        }
        if (*c == '\0' || (depth == 0 && (*c == ']' || *c == '\n'))) return found;
    }
}

// The operator that is tested: x, one head, rotated in place by a position. Pairs are x[i], x[i + pairs].
static void rope(std::vector<float> &x, double position, const std::vector<double> &frequency,
                 double factor)
{
    const size_t pairs = frequency.size();
    for (size_t i = 0; i < pairs; i++) {
        const float w = (float)(DEFECT == 1 ? std::pow(frequency[i], 1.001) : frequency[i]);
        const float m = (float)(DEFECT == 2 ? factor * factor : factor);
        const float angle = (float)position * w, c = std::cos(angle) * m, s = std::sin(angle) * m;
        const float a = x[i], b = x[i + pairs];
        x[i] = a * c - b * s;
        x[i + pairs] = a * s + b * c;
    }
}

// 1 if an element is farther off than float32 angles explain.
static int test(const char *name)
{
    std::ifstream file(name);
    const std::string json((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    const std::vector<double> w = numbers(json, "frequencies"), at = numbers(json, "positions");
    const std::vector<double> cosines = numbers(json, "cos"), sines = numbers(json, "sin");
    const std::vector<double> factors = numbers(json, "attention_factor");
    const size_t pairs = w.size();
    if (pairs == 0 || at.empty() || factors.size() != 1 || cosines.size() != pairs * at.size() ||
        sines.size() != cosines.size()) {
        std::printf("FAIL %s: is no table\n", name);
        return 1;
    }
    double worst = 0;
    size_t row = 0, pair = 0;
    for (size_t r = 0; r < at.size(); r++) {
        std::vector<float> x(2 * pairs);
        for (size_t k = 0; k < x.size(); k++)
            x[k] = (float)std::sin((double)(7 * k + 1)); // anything within -1 ... 1
        std::vector<float> y = x;
        rope(y, at[r], w, factors[0]);
        for (size_t i = 0; i < pairs; i++) {
            const double c = cosines[r * pairs + i], s = sines[r * pairs + i];
            const double a = x[i], b = x[i + pairs];
            const double error = std::fmax(std::fabs(y[i] - (a * c - b * s)),
                                           std::fabs(y[i + pairs] - (a * s + b * c)));
            // frequency, position and product are each rounded to float32: 3 roundings of 2^-24 in the angle
            const double allowed =
                (std::fabs(at[r] * w[i]) * std::ldexp(3, -24) + 1e-6) * 1.5 * factors[0];
            if (error / allowed > worst) worst = error / allowed, row = r, pair = i;
        }
    }
    std::printf("%s %s: the worst error is %.3g of what float32 angles allow, ",
                worst <= 1 ? "ok  " : "FAIL", name, worst);
    std::printf("at position %.0f, pair %zu\n", at[row], pair);
    return worst > 1;
}

int main(int count, char **names)
{
    int failed = count < 2;
    for (int k = 1; k < count; k++) failed += test(names[k]);
    return failed != 0;
}
