/* The meaning of an errno. */
#include <errno.h>
#include "runner/base/words/words.h"
#include "words/error.h"

lib_word_id lib_words_error(int error) {
    static const struct {
        int error;
        lib_word_id id;
    } table[] = {
        {ENOENT, W_ERROR_ENOENT},
        {EACCES, W_ERROR_EACCES},
        {EPERM, W_ERROR_EPERM},
        {EISDIR, W_ERROR_EISDIR},
        {ENOTDIR, W_ERROR_ENOTDIR},
        {EEXIST, W_ERROR_EEXIST},
        {ENOTEMPTY, W_ERROR_ENOTEMPTY},
        {ENOSPC, W_ERROR_ENOSPC},
        {EDQUOT, W_ERROR_EDQUOT},
        {EROFS, W_ERROR_EROFS},
        {ENAMETOOLONG, W_ERROR_ENAMETOOLONG},
        {ELOOP, W_ERROR_ELOOP},
        {EMFILE, W_ERROR_EMFILE},
        {ENFILE, W_ERROR_ENFILE},
        {ENOMEM, W_ERROR_ENOMEM},
        {EAGAIN, W_ERROR_EAGAIN},
        {EIO, W_ERROR_EIO},
        {EBUSY, W_ERROR_EBUSY},
        {ETXTBSY, W_ERROR_ETXTBSY},
        {ENOEXEC, W_ERROR_ENOEXEC},
        {EFBIG, W_ERROR_EFBIG},
        {EPIPE, W_ERROR_EPIPE},
        {EINVAL, W_ERROR_EINVAL},
        {ETIMEDOUT, W_ERROR_ETIMEDOUT},
        {ECONNREFUSED, W_ERROR_ECONNREFUSED},
        {EXDEV, W_ERROR_EXDEV},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].error == error) return table[i].id;
    return 0;
}
