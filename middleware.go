package gapless

// Middleware wraps a handler: what it does before and after the turn, or
// instead of it, is its own. It must hand over the same delivery, and should
// return what the handler said unless it means to change the verdict.
type Middleware func(Handler) Handler

// Chain is the handler inside all the wrappers. The first one is outermost: it
// sees the delivery first and the verdict last.
func Chain(h Handler, wrappers ...Middleware) Handler {
	for i := len(wrappers) - 1; i >= 0; i-- {
		h = wrappers[i](h)
	}
	return h
}
