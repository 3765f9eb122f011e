/* SPDX-License-Identifier: MIT
 *
 * This file is compiled three times. With -DPART=first and -DPART=second it becomes two libraries
 * that call pe. Without PART it is a program that calls both, which must fill the same row.
 */
#ifdef PART
#include <pe.h>

int PART(float *row);
int PART(float *row)
{
    const double omega[2] = {1, 0.25};
    return pe_sincos_f32(omega, 2, 1, pe_from(7), 1, row, row + 2, 4) == PE_OK;
}
#else
#include <math.h>
#include <stdio.h>
#include <string.h>

int first(float *row);
int second(float *row);

int main(void)
{
    float row[4] = {0}, same[4] = {0};
    const int done = first(row) && second(same) && memcmp(row, same, sizeof row) == 0;
    printf("%.9g %.9g\n", (double)row[0], (double)row[3]);
    return !done || fabs(sin(7.0) - (double)row[0]) > 1e-7 ||
           fabs(cos(1.75) - (double)row[3]) > 1e-7;
}
#endif
