#ifndef CTERMINAL_H
#define CTERMINAL_H

/// Columns of the terminal behind a file descriptor, 0 where there is none.
///
/// In C because ioctl is variadic, which Swift cannot call.
int cterminal_columns(int descriptor);

#endif
