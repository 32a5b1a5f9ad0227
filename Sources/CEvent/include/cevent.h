// The part of libevent 2.1 that Wake uses: its own functions declared again with opaque types, so
// that nothing else of it reaches Swift. cevent.c includes both, so a wrong line does not compile.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct event;
struct event_base;
struct evbuffer;
struct evhttp;
struct evhttp_bound_socket;
struct evhttp_connection;
struct evhttp_request;
struct evkeyvalq;
struct timeval;

// The loop. With evthread_use_pthreads, event_active may be called from any thread.
int evthread_use_pthreads(void);
struct event_base *event_base_new(void);
void event_base_free(struct event_base *base);
int event_base_loop(struct event_base *base, int flags);
int event_base_loopbreak(struct event_base *base);
struct event *event_new(struct event_base *base, int fd, short events,
                        void (*callback)(int, short, void *), void *context);
void event_active(struct event *event, int result, short count);
void event_free(struct event *event);

// The server; everything below on the loop's thread only.
struct evhttp *evhttp_new(struct event_base *base);
void evhttp_free(struct evhttp *server);
void evhttp_set_max_headers_size(struct evhttp *server, ssize_t bytes);
void evhttp_set_max_body_size(struct evhttp *server, ssize_t bytes);
void evhttp_set_timeout(struct evhttp *server, int seconds);
void evhttp_set_allowed_methods(struct evhttp *server, uint16_t methods);
void evhttp_set_default_content_type(struct evhttp *server, const char *type);
int evhttp_set_flags(struct evhttp *server, int flags);
void evhttp_set_gencb(struct evhttp *server, void (*callback)(struct evhttp_request *, void *),
                      void *context);
struct evhttp_bound_socket *evhttp_accept_socket_with_handle(struct evhttp *server, int fd);
void evhttp_del_accept_socket(struct evhttp *server, struct evhttp_bound_socket *socket);

// One request. Replying to a request whose connection has gone frees it.
const char *evhttp_request_get_uri(const struct evhttp_request *request);
struct evhttp_connection *evhttp_request_get_connection(struct evhttp_request *request);
struct evbuffer *evhttp_request_get_input_buffer(struct evhttp_request *request);
struct evbuffer *evhttp_request_get_output_buffer(struct evhttp_request *request);
struct evkeyvalq *evhttp_request_get_output_headers(struct evhttp_request *request);
void evhttp_request_set_on_complete_cb(struct evhttp_request *request,
                                       void (*callback)(struct evhttp_request *, void *),
                                       void *context);
void evhttp_connection_set_closecb(struct evhttp_connection *connection,
                                   void (*callback)(struct evhttp_connection *, void *),
                                   void *context);
int evhttp_add_header(struct evkeyvalq *headers, const char *name, const char *value);
void evhttp_send_reply(struct evhttp_request *request, int status, const char *reason,
                       struct evbuffer *body);
size_t evbuffer_get_length(const struct evbuffer *buffer);
ssize_t evbuffer_copyout(struct evbuffer *buffer, void *bytes, size_t count);
int evbuffer_add(struct evbuffer *buffer, const void *bytes, size_t count);

/// Runs the loop until event_base_loopbreak. (EVLOOP_NO_EXIT_ON_EMPTY is a macro of a header that
/// Swift does not see.)
int cevent_run(struct event_base *base);

/// Sets the methods that reach the callback and the close after an oversized body. (Enumerations
/// and macros of headers that Swift does not see.)
void cevent_configure(struct evhttp *server);

/// `GET`, `HEAD`, `POST`, `PUT` or `DELETE`, else NULL. (An enumeration that Swift does not see.)
const char *cevent_method(const struct evhttp_request *request);

/// Calls back for each field in the order of arrival. (TAILQ is a family of macros.)
void cevent_each_field(struct evhttp_request *request,
                       void (*callback)(const char *name, const char *value, void *context),
                       void *context);

/// Binds and listens without delayed small packets; the descriptor, or -1 with errno or -2 where
/// the name is unknown. `bound_port` is the port in use. (Socket addresses are casts.)
int cevent_listen(const char *host, const char *port, uint16_t *bound_port);
