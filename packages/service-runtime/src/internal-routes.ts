import express, { type ErrorRequestHandler, type RequestHandler, type Response, type Router } from 'express';
import { answerFault, fail, refuse } from './internal-answers.ts';
import type { Logger } from './logging/logger.ts';

/** Several handlers of a route are called in order, such as a body reader and the responder. */
export type RouteHandler = RequestHandler | readonly RequestHandler[];

/** The internal routes of a service and what answers each, as `'GET /internal/head': answerHead`. */
export type Routes = Readonly<Record<`${'GET' | 'POST' | 'PATCH' | 'DELETE'} /internal/${string}`, RouteHandler>>;

/**
 * The internal API of a service. Other routes: 404; errors of handlers: {@link answerFault}.
 * @param refusals answer errors of the service's own before that
 */
export function internalRoutes(logger: Logger, routes: Routes, ...refusals: readonly ErrorRequestHandler[]): Router {
  const router = express.Router();
  for (const [route, handlers] of Object.entries(routes)) {
    const [method, path] = route.split(' ') as [string, string];
    router[method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete'](path, ...[handlers].flat());
  }
  router.use('/internal', (_request, response) => fail(response, 404, 'not found'));
  router.use(...refusals, answerFault(logger));
  return router;
}

/** A validator that ajv compiled: whether a value is of this type, and the faults of the last value that is not. */
type Validator<Body> = ((value: unknown) => value is Body) & Parameters<typeof refuse>[1];

/**
 * Answers a request by its JSON body: 413 over the limit, 400 unless the body is valid.
 * @param limit of the body, as `64kb`
 */
export const ofJson = <Body>(
  limit: string,
  isValid: Validator<Body>,
  answer: (body: Body, response: Response) => Promise<unknown>,
): RouteHandler => [
  express.json({ limit }),
  async ({ body }: { readonly body: unknown }, response) => {
    if (!isValid(body)) return refuse(response, isValid);
    await answer(body, response);
  },
];
