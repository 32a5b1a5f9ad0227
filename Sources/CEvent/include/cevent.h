// The part of libevent 2.1 that Wake uses. Its functions are declared again with opaque types, so
// that nothing else of it reaches Swift. cevent.c includes both headers, so a wrong declaration
// does not compile.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct bufferevent;
struct evconnlistener;
struct event;
struct event_base;
struct sockaddr;

// The loop. After evthread_use_pthreads, event_active may be called from any thread.
int evthread_use_pthreads(void);
struct event_base *event_base_new(void);
void event_base_free(struct event_base *base);
int event_base_loopbreak(struct event_base *base);
struct event *event_new(struct event_base *base, int fd, short events,
                        void (*callback)(int, short, void *), void *context);
void event_active(struct event *event, int result, short count);
void event_free(struct event *event);

/// Runs the loop until event_base_loopbreak. (EVLOOP_NO_EXIT_ON_EMPTY is a macro that Swift does
/// not import.)
int cevent_run(struct event_base *base);

// Call everything below on the loop's thread only.

/// Calls `callback` periodically; returns NULL if out of memory.
struct event *cevent_every(struct event_base *base, long milliseconds,
                           void (*callback)(int, short, void *), void *context);

/// Binds a socket with TCP_NODELAY. Returns the descriptor, -1 with errno, or -2 if the host name
/// is unknown. `bound_port` is the port in use.
int cevent_bind(const char *host, const char *port, uint16_t *bound_port);

/// Listens on a bound descriptor, and calls `callback` for each connection. Takes ownership of the
/// descriptor, unless it returns NULL with errno.
struct evconnlistener *cevent_accept(struct event_base *base, int fd,
                                     void (*callback)(struct evconnlistener *, int,
                                                      struct sockaddr *, int, void *),
                                     void *context);
void evconnlistener_set_error_cb(struct evconnlistener *listener,
                                 void (*callback)(struct evconnlistener *, void *));
int evconnlistener_disable(struct evconnlistener *listener);
int evconnlistener_enable(struct evconnlistener *listener);
void evconnlistener_free(struct evconnlistener *listener);

/// Creates a connection that owns its descriptor and its session, an accepting `SSL *` or NULL. It
/// buffers at most `read_limit` unread bytes.
struct bufferevent *cevent_connection(struct event_base *base, int fd, void *session,
                                      size_t read_limit);
void bufferevent_setcb(struct bufferevent *connection,
                       void (*readable)(struct bufferevent *, void *),
                       void (*written)(struct bufferevent *, void *),
                       void (*event)(struct bufferevent *, short, void *), void *context);
int bufferevent_enable(struct bufferevent *connection, short events);
int bufferevent_disable(struct bufferevent *connection, short events);
int bufferevent_write(struct bufferevent *connection, const void *bytes, size_t count);
extern const short cevent_read;
extern const short cevent_connected;
extern const short cevent_broken;

size_t cevent_take(struct bufferevent *connection, void *bytes, size_t count);
size_t cevent_unread(struct bufferevent *connection);
size_t cevent_unwritten(struct bufferevent *connection);

/// Ends the sending side; reading continues.
void cevent_finish(struct bufferevent *connection);

/// Closes and frees the connection; no callback runs afterwards.
void cevent_close(struct bufferevent *connection);

/// Copies the peer's address; IPv4 is mapped to IPv6.
void cevent_address(const struct sockaddr *address, uint8_t bytes[16]);

/// Parses an address into the same form; returns -1 if the text is not an address.
int cevent_parse_address(const char *text, uint8_t bytes[16]);

/// Raises the process's descriptor limit to its maximum; returns it, or -1.
long cevent_raise_descriptor_limit(void);
