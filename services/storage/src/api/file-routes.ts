import type { Database } from '@indelible/postgres';
import { fail, type RouteHandler } from '@indelible/service-runtime';
import express from 'express';
import { fileFault } from '../decisions/file-fault.ts';
import { uploadOutcome } from '../decisions/upload-outcome.ts';
import { readFile, readShownFiles } from '../tables/shown-files.ts';
import { readUpload } from '../tables/uploads.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Per request. */
const maxStamps = 1_000;
/** 1,000 ids take 39 KB. */
const bodyLimit = '64kb';

type Queries = Pick<Database, 'query'>;

/** The file of a stamp. */
export const fileRoute =
  (database: Queries): RouteHandler =>
  async (request, response) => {
    const stampId = String(request.params.stampId);
    if (!uuid.test(stampId)) return fail(response, 400, 'invalid request', 'the stamp id is a lower-case UUID');
    const file = await readFile(database, stampId);
    if (file === undefined) return fail(response, 404, 'no file for this stamp');
    response.json(file);
  };

/** The files of many stamps. */
export const lookUpFilesRoute = (database: Queries): RouteHandler => [
  express.json({ limit: bodyLimit }),
  async (request, response) => {
    const stampIds = stampIdsIn(request.body);
    if (stampIds === undefined)
      return fail(response, 400, 'invalid request', `stampIds: 1 to ${maxStamps} UUIDs, lower-case`);
    const files = await readShownFiles(database, [...new Set(stampIds)]);
    response.json({
      files: files.map((file) => ({ ...file, fault: file.status === 'failed' ? fileFault : null })),
    });
  },
];

/** The outcome of an upload. */
export const uploadRoute =
  (database: Queries): RouteHandler =>
  async (request, response) => {
    const requestId = String(request.params.requestId);
    if (!uuid.test(requestId)) return fail(response, 400, 'invalid request', 'the request id is a lower-case UUID');
    const upload = await readUpload(database, requestId);
    if (upload === undefined) return fail(response, 404, 'no such upload, or not decided yet');
    response.json(uploadOutcome(upload));
  };

function stampIdsIn(body: unknown): readonly string[] | undefined {
  const ids: unknown = (body as { stampIds?: unknown } | undefined)?.stampIds;
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > maxStamps) return undefined;
  return ids.every((id) => typeof id === 'string' && uuid.test(id)) ? ids : undefined;
}
