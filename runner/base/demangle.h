/* Readable kernel names. */
#ifndef WARPLAB_BASE_DEMANGLE_H
#define WARPLAB_BASE_DEMANGLE_H

/* Leaves out "void" and parameters: "_Z6reduceILi256EEvPKiPii" -> "reduce<256>". malloc'ed; NULL if
 * the name is not mangled. */
char *lib_demangle(const char *name);

#endif
