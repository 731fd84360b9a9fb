/* SPDX-License-Identifier: MIT
 * What a shared library of kernels (attncert/kernel.h) may say of what computes.
 */
#ifndef ATTNCERT_VERSION_H
#define ATTNCERT_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* A function that a library may export beside attncert_kernels: what its kernels call, and the version as it is loaded
 * ("oneDNN 2.6.3"), 1 to 127 bytes that live as long as the library is loaded. Reports name it. */
#define ATTNCERT_VERSION_SYMBOL "attncert_version"
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const char*
attncert_version(void);

#ifdef __cplusplus
}
#endif
#endif
