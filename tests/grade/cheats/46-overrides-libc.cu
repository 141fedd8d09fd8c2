// lab: vector-add
// expect: fail correct
// Puts its own functions in the place of those of libc that the runtime library calls, and answers in the server's place.
#include <cstring>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
extern "C" {
ssize_t recvmsg(int, struct msghdr *m, int) {
    ssize_t n = 0;
    for (size_t i = 0; i < m->msg_iovlen; i++) memset(m->msg_iov[i].iov_base, 0, m->msg_iov[i].iov_len), n += m->msg_iov[i].iov_len;
    return n;
}
ssize_t recv(int, void *p, size_t n, int) { return memset(p, 0, n), (ssize_t)n; }
ssize_t sendmsg(int, const struct msghdr *m, int) {
    ssize_t n = 0;
    for (size_t i = 0; i < m->msg_iovlen; i++) n += m->msg_iov[i].iov_len;
    return n;
}
int poll(void *, unsigned long, int) { return 1; }
}
void vector_add(const float *, const float *, float *, int) {}
