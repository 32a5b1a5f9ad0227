#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <event2/thread.h>
#include <openssl/ssl.h>

#include "cevent.h"

const short cevent_read = EV_READ;
const short cevent_connected = BEV_EVENT_CONNECTED;
// Over TLS, libevent reports a reset during a write as an end with BEV_EVENT_WRITING.
const short cevent_broken = BEV_EVENT_ERROR | BEV_EVENT_WRITING;

int cevent_run(struct event_base *base) {
    return event_base_loop(base, EVLOOP_NO_EXIT_ON_EMPTY);
}

struct event *cevent_every(struct event_base *base, long milliseconds,
                           void (*callback)(int, short, void *), void *context) {
    struct timeval interval = {milliseconds / 1000, milliseconds % 1000 * 1000};
    struct event *event = event_new(base, -1, EV_PERSIST, callback, context);
    if (event != NULL && event_add(event, &interval) == 0) return event;
    if (event != NULL) event_free(event);
    return NULL;
}

static int bound_port_of(int fd, uint16_t *port) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &size) != 0) return -1;
    *port = ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                                : ((struct sockaddr_in *)&address)->sin_port);
    return 0;
}

static int bind_to(const struct addrinfo *address, uint16_t *bound_port) {
    int one = 1;
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    // Accepted sockets inherit TCP_NODELAY; without it a reply in two TLS records takes 44 ms.
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0 &&
        bind(fd, address->ai_addr, address->ai_addrlen) == 0 &&
        bound_port_of(fd, bound_port) == 0)
        return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

int cevent_bind(const char *host, const char *port, uint16_t *bound_port) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, port, &hints, &found) != 0 || found == NULL) return -2;
    int fd = -1;
    // A name may resolve to an address of a family that this machine does not support.
    for (struct addrinfo *next = found; next != NULL && fd < 0; next = next->ai_next)
        fd = bind_to(next, bound_port);
    int reason = errno;
    freeaddrinfo(found);
    errno = reason;
    return fd;
}

struct evconnlistener *cevent_accept(struct event_base *base, int fd,
                                     void (*callback)(struct evconnlistener *, int,
                                                      struct sockaddr *, int, void *),
                                     void *context) {
    unsigned flags = LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC;
    if (listen(fd, SOMAXCONN) != 0) return NULL;
    return evconnlistener_new(base, callback, context, flags, 0, fd);
}

struct bufferevent *cevent_connection(struct event_base *base, int fd, void *session,
                                      size_t read_limit) {
    int options = BEV_OPT_CLOSE_ON_FREE | BEV_OPT_DEFER_CALLBACKS;
    struct bufferevent *connection =
        session == NULL ? bufferevent_socket_new(base, fd, options)
                        : bufferevent_openssl_socket_new(base, fd, session,
                                                         BUFFEREVENT_SSL_ACCEPTING, options);
    if (connection == NULL) return NULL;
    // A TLS connection closed without close notify counts as an ordinary end.
    if (session != NULL) bufferevent_openssl_set_allow_dirty_shutdown(connection, 1);
    bufferevent_setwatermark(connection, EV_READ, 0, read_limit);
    return connection;
}

size_t cevent_take(struct bufferevent *connection, void *bytes, size_t count) {
    return bufferevent_read(connection, bytes, count);
}

size_t cevent_unread(struct bufferevent *connection) {
    return evbuffer_get_length(bufferevent_get_input(connection));
}

size_t cevent_unwritten(struct bufferevent *connection) {
    return evbuffer_get_length(bufferevent_get_output(connection));
}

void cevent_finish(struct bufferevent *connection) {
    SSL *session = bufferevent_openssl_get_ssl(connection);
    if (session != NULL) SSL_shutdown(session);
    shutdown(bufferevent_getfd(connection), SHUT_WR);
}

void cevent_close(struct bufferevent *connection) {
    SSL *session = bufferevent_openssl_get_ssl(connection);
    if (session != NULL) {
        SSL_set_shutdown(session, SSL_RECEIVED_SHUTDOWN);
        SSL_shutdown(session);
    }
    bufferevent_free(connection);
}

static void map(const struct in_addr *address, uint8_t bytes[16]) {
    static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};
    memcpy(bytes, prefix, 12);
    memcpy(bytes + 12, address, 4);
}

void cevent_address(const struct sockaddr *address, uint8_t bytes[16]) {
    memset(bytes, 0, 16);
    if (address->sa_family == AF_INET) map(&((const struct sockaddr_in *)address)->sin_addr, bytes);
    if (address->sa_family == AF_INET6)
        memcpy(bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
}

int cevent_parse_address(const char *text, uint8_t bytes[16]) {
    struct in_addr old;
    if (inet_pton(AF_INET6, text, bytes) == 1) return 0;
    if (inet_pton(AF_INET, text, &old) != 1) return -1;
    map(&old, bytes);
    return 0;
}

long cevent_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 && getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    return limit.rlim_cur == RLIM_INFINITY ? 1 << 20 : (long)limit.rlim_cur;
}
