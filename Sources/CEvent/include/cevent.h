// The part of libevent 2.1 that Wake uses: its own functions declared again with opaque types, so
// that nothing else of it reaches Swift. cevent.c includes both, so a wrong line does not compile.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct bufferevent;
struct evconnlistener;
struct event;
struct event_base;
struct sockaddr;

// The loop. With evthread_use_pthreads, event_active may be called from any thread.
int evthread_use_pthreads(void);
struct event_base *event_base_new(void);
void event_base_free(struct event_base *base);
int event_base_loopbreak(struct event_base *base);
struct event *event_new(struct event_base *base, int fd, short events,
                        void (*callback)(int, short, void *), void *context);
void event_active(struct event *event, int result, short count);
void event_free(struct event *event);

/// Runs the loop until event_base_loopbreak. (EVLOOP_NO_EXIT_ON_EMPTY is a macro of a header that
/// Swift does not see.)
int cevent_run(struct event_base *base);

// Everything below on the loop's thread only.

/// Calls back again and again; NULL where there is no memory.
struct event *cevent_every(struct event_base *base, long milliseconds,
                           void (*callback)(int, short, void *), void *context);

/// Binds a socket that does not delay small packets. Returns the descriptor, -1 with errno, or -2 if
/// the name is unknown. `bound_port` is the port in use. (Socket addresses are casts.)
int cevent_bind(const char *host, const char *port, uint16_t *bound_port);

/// Listens on a bound descriptor and calls back for each connection. Owns the descriptor, unless it
/// returns NULL with errno.
struct evconnlistener *cevent_accept(struct event_base *base, int fd,
                                     void (*callback)(struct evconnlistener *, int,
                                                      struct sockaddr *, int, void *),
                                     void *context);
void evconnlistener_set_error_cb(struct evconnlistener *listener,
                                 void (*callback)(struct evconnlistener *, void *));
int evconnlistener_disable(struct evconnlistener *listener);
int evconnlistener_enable(struct evconnlistener *listener);
void evconnlistener_free(struct evconnlistener *listener);

/// A connection that owns its descriptor and its session: an `SSL *` that accepts, or NULL for
/// none. At most `read_limit` bytes wait in it to be taken.
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

/// Tells the client that nothing more is sent; it can still be read from.
void cevent_finish(struct bufferevent *connection);

/// Closes and frees; nothing calls back afterwards.
void cevent_close(struct bufferevent *connection);

/// The peer's address; an IPv4 one is mapped into IPv6.
void cevent_address(const struct sockaddr *address, uint8_t bytes[16]);

/// The same of a text; -1 where it is not an address.
int cevent_parse_address(const char *text, uint8_t bytes[16]);

/// Lets the process have as many descriptors as it may; returns their number, or -1.
long cevent_raise_descriptor_limit(void);
