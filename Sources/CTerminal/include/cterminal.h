#ifndef CTERMINAL_H
#define CTERMINAL_H

/// Returns the columns of the terminal of a descriptor, or 0 if it is none.
///
/// Written in C because Swift cannot call the variadic ioctl.
int cterminal_columns(int descriptor);

#endif
