// Generated from openapi/indelible.yaml by scripts/generate.ts; not to be edited.
export interface paths {
    "/stamps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stamps a file, inline data or an existing CID
         * @description One or more of `file`, `data` and `data_cid`; all that are given denote the same CID. At most one of `collection_cid` and `collection_name`; a name the account does not have creates that collection, in the same wait. An idempotent request whose identity (account, set CID, object CID) has a stamp in flight waits for it and answers 200; one that finds a confirmed stamp inside its window answers 200 with that receipt.
         */
        post: operations["createStamp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stamp/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deprecated: use POST /stamps
         * @deprecated
         * @description Takes and answers the same as `POST /stamps`. Every answer, errors included, carries `Deprecation` (RFC 9745: since when, in seconds since 1970) and `Link: <…/stamps>; rel="successor-version"`. No date is set for its removal.
         */
        post: operations["createStampDeprecated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stamps/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stamps many existing CIDs, streamed both ways
         * @description For high volumes: one JSON object a line in, one result a line out, in the order of the lines, both as streams. Up to
         *     100,000 lines (by configuration; empty ones count, and are skipped), each of at most 4,096 bytes. Lines end with LF
         *     or CRLF; the last may lack it. The content is not sent, so nothing is stored.
         *
         *     **Each line is an idempotent stamp** of its `data_cid` in its collection, as `POST /stamps` makes it, with the
         *     `idempotency_window` of the query. A line that finds its stamp confirmed inside the window, or in flight (also by an
         *     earlier line of the same batch), is `repeated`, with that stamp's receipt. So any line may be sent again at any time
         *     inside the window: nothing is stamped twice. `Idempotency-Key` and `Prefer` mean nothing here.
         *
         *     **The status is 200** when the first result is there; each result then has a `status` of its own:
         *
         *     - `created`: a new stamp stands on the chain, as by a 201; `repeated`: an earlier one does, as by a 200.
         *     - `pending`: the stamp is on its way and will be made, but the chain has not confirmed it within the wait limit,
         *       which counts from when the line was taken. `id` is that of its status resource, `GET /stamps/{id}`. Sending the
         *       line again waits for it anew.
         *     - `failed`: nothing was recorded, `error` and `details` say why as elsewhere. `retryable: false` is the line's own
         *       fault. `retryable: true` is a part of the service being away or busy: send the line again; should it have got
         *       through after all, it is found then. A line beyond the account's daily quota of stamps is `retryable`, too, on another
         *       day: `error` is `daily quota reached`.
         *     - `ended`, the last line when the batch was not read to its end: it is too long, or stood still for 30 s, or came at less than
         *       1 KiB/s for a minute; time in which lines wait for their answers does not count. `line` is the first that was not taken: send the rest from there as another batch.
         *
         *     Faults of a line do not end the batch. Before the first result faults are answered as elsewhere, with their status;
         *     a 503 then may be retried as a whole, a 429 after its `Retry-After`.
         *
         *     **Read while you send.** Lines are taken while their answers are: when many are not answered yet, or their answers are
         *     not read, the service stops reading (at 5,000 lines in the beginning, at up to 20,000 as the chain confirms them,
         *     at fewer while many batches run). A client that takes nothing of its answer for five minutes is cut off. One that sends
         *     all before it reads anything keeps to 1,000 lines a request.
         *
         *     **To resume** after a broken connection: every line that has an answer is done with. Send the others again (those
         *     that were taken go on meanwhile, and are found), within the window: for retries after hours, ask for a longer one
         *     from the start. The answer is whole when it has a result for the last line, or its `ended`.
         *
         *     **Lines count for the rate limit** of the key as requests do, but are never refused for it: beyond the rate they are
         *     taken more slowly. The last tenth of the burst is left to other requests of the key.
         */
        post: operations["createStampsBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stamps/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The status of a stamp, kept for ever
         * @description The id of a request that joined or repeated a stamp answers with that stamp, that of a refused request says why: for 30 days after the decision, then such an id is a 404. The status of a stamp itself, also of one that failed, is kept for ever.
         */
        get: operations["getStamp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stamps/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The statuses of up to 1,000 stamps
         * @description Each as `GET /stamps/{id}` returns it, in the order in which the ids were given; duplicates are folded. An id may be that of a request that joined a stamp. What is no stamp of the account is among `unknown_ids`. So is a stamp of the last seconds that the read model does not show within 2 s: it is there when it is queried again.
         */
        post: operations["getStampStatuses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stamps/upload-stamped-file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stores a file or inline data that was stamped earlier
         * @description Exactly one of `file` and `data`, and at least one of `collection_name` and `collection_cid`; with both, the named collection must have that CID. The content must have a commitment by the caller in that collection. When it has several, a copy is stored for each (the earliest 500), and the earliest answers; when any of them has a file already, that one answers with 200 and no copy is made, also under another file name. The stamp is not changed.
         */
        post: operations["uploadStampedFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stamps/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Looks up CIDs among stamps
         * @description Receipts in the order in which their CIDs were given, then by time. A CID without a stamp has no entry; duplicates are folded. However many receipts there are, they are answered as a stream: a connection that ends before the JSON does has lost the rest. A client that wants fewer at once gives a `limit`: then the answer has `next_cursor`, which is null when there are no more, and which as `cursor` beside the same `cids` gives the receipts after these.
         */
        post: operations["verifyStamps"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists collections, newest first
         * @description Without `user_address`, or with the caller's own, all of the caller's collections; with another account's address only that account's public ones. Without a `limit` the whole list, a long one as a stream: a connection that ends before the JSON does has lost the rest. With one, so many; when there are more, the header `Link` has the URL of the next ones (`rel="next"`).
         */
        get: operations["listCollections"];
        put?: never;
        /**
         * Creates a collection and records it on chain
         * @description 201 answers when the collection stands on the chain. When the wait limit passes, 503: the collection is registered, and the same request again waits for it.
         */
        post: operations["createCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/collections/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checks a list of objects against a collection's receipts
         * @description An object matches a receipt when its CID and its instant (to the second; fractions are cut) are equal, one to one. Each side's leftovers are `unmatched_objects` and `unmatched_receipts`; an unmatched object's timestamp is returned as it was sent.
         *
         *     With a `collection_name`: that collection of `user_address`; without an address the caller's own of that name, else any owner's public ones, best match first, at most five. One that is not found answers 200 with one entry: name and address as asked, `cid` null, no receipts, every object unmatched.
         *
         *     Without a name the collection is inferred from the objects (within `user_address`, when it is given): a set is a candidate when it holds at least 80 % of the distinct (CID, timestamp) pairs, all of them when they are fewer than five; the caller's own sets first, at most five, best first. Without a candidate: one entry with null name and cid, and every object unmatched.
         *
         *     The form follows the `Content-Type`. `multipart/form-data` (legacy) takes a file in the field `file` whose name ends in `.csv` or `.json` and which holds what the other two forms hold. Up to 1,000,000 objects and 256 MiB, read and answered as streams; more is a 413. A collection may have any number of receipts; a client that does not want those without an object sets `unmatched_receipts=false`. The answer is JSON whatever `Accept` says. A connection that ends before the JSON does has lost the rest of the answer.
         *
         *     An upload is matched when it has come to its end. What a slow client has not read yet is kept aside for it, within bounds; an answer of several GiB is read at 1 MiB a second or faster, or it ends before its JSON does.
         */
        post: operations["verifyCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The account's events, as a stream (server-sent events) or in pages
         * @description Everything that happens to the account's stamps, files and collections, in its order, from the first event on: the log is
         *     kept for ever. Each event is a CloudEvent (1.0, JSON format), the same object as on the public topic and in a webhook.
         *
         *         curl -N -H "Authorization: Bearer $API_KEY" …/api/v1/events
         *
         *     The `EventSource` of browsers cannot send a key: there `fetch` with a reader of event streams does.
         *
         *     **A stream** is the default. `event:` is the event's name (`stamp.confirmed`), `data:` the CloudEvent on one line, and `id:` its
         *     position: opaque, to be sent back as `Last-Event-ID`. A stream begins behind `Last-Event-ID`, else behind `after`, else at
         *     `since`, else with events from now on. Its first lines already have an `id:`, and heartbeats (comments, every 15 s) have
         *     one when a filter left events out, so a client that connects again as the standard says, behind the last `id:` it read, misses
         *     nothing. It may get an event twice, with the same CloudEvents `id`, when it read an event and not its `id:`.
         *
         *     A stream lasts until one side ends it. The service sends `event: end` before it does, with `{"error": …, "details": …}`:
         *     `the service restarts`; `unauthorized`, when the key has been revoked or has expired or its account is disabled, within
         *     seconds; `too slow`, when a client takes nothing for five minutes, or less than 1 KiB/s over ten. A client that is merely slow is not ended, nor does it
         *     miss anything: it gets the events at its own pace. While a part of the service is unavailable, a stream has heartbeats alone; then it
         *     resumes where it was. `retry:` says how long to wait before connecting again.
         *
         *     **A page** is the answer to a request with `wait`, or one whose `Accept` names `application/json` and not `text/event-stream`. It
         *     begins behind `after`, which is `next` of the page before, else at `since`, else with the first event. `next` passes what
         *     filters leave out. With `more` read on at once. `wait=20` answers an empty page only when nothing came for 20 s.
         *
         *     Accounts share the places for streams of a process, and of pages that wait; over its share: 503. Opening a
         *     stream counts as one request for the rate limit.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The account's webhooks, newest first */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Sends the account's events to a URL
         * @description From now on each event of `types` (and of `collections`, when given) is sent to `url` by a POST: the body is the CloudEvent in
         *     its JSON format, the same object as at `GET /events`, with `Content-Type: application/json`. It is signed by
         *     [Standard Webhooks](https://www.standardwebhooks.com): `webhook-id` (the event's id, which stays over retries: drop what you
         *     have), `webhook-timestamp`, `webhook-signature`. Verify with its library and the `secret`, which only this answer and that of
         *     `rotate-secret` have.
         *
         *     **Answer 2xx within 15 s.** Anything else, redirects as well, is tried again after 5 s, 5 m, 30 m, 2 h, 5 h, 10 h and 10 h, and has
         *     then failed; it can be [redelivered](#/webhooks/redeliver). `Retry-After` of a 429 or 503 is respected, up to an hour. A receiver whose
         *     deliveries fail one after another is tried less often, once a minute at last, and its events wait in the log: none is lost. So do
         *     those of a collection of which 100 deliveries wait for a further attempt, and all new ones while 5,000 do. A 410 disables the webhook at once, and five days
         *     in which something failed and nothing succeeded do so, too, with the event `webhook.disabled`.
         *
         *     Events may come twice, and out of order. With `ordered` the next event of a collection is not sent before the one before it is
         *     delivered or has failed; other collections go on meanwhile.
         *
         *     `url` is https and leads to public addresses, without user-info or fragment; it is checked again with each delivery.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A webhook and its state */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Deletes a webhook and its delivery log
         * @description A request that is under way may still end. Another DELETE is a 404.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Changes a webhook, or enables or disables it
         * @description What is not given stays. A webhook that is enabled again resumes where it stopped: it gets everything since. Requests that are under way when it is changed may still end at the former URL.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes a new secret
         * @description For 24 hours each delivery is signed by the former secret, too: change the receiver over meanwhile. Up to five former secrets sign, each until its own 24 hours are over.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a test event now, and reports what came of it
         * @description A signed CloudEvent of the type `com.indelible.webhook.test.v1`, sent once, also to a disabled webhook. It is in no log and counts for nothing. While another test of the webhook is under way, or too many of the account, this is a 503.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What became of the webhook's deliveries, the newest events first
         * @description Known for 30 days after the last attempt, of at least the newest 10,000 events; what still waits for a further attempt, always.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delivers an event again
         * @description Soon, with the same `webhook-id`, and with all its attempts. Other events do not wait for it, also with `ordered`.
         */
        post: operations["redeliverDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delivers all events since a time again
         * @description Those that were recorded from `since` until `until`, whatever became of them, up to two at a time beside new ones; events keep their `webhook-id`. A webhook has one redelivery at a time: its `redelivery` says which, and is not there when it is done.
         */
        post: operations["redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The caller's account settings */
        get: operations["getCurrentUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An account's settings, by its address
         * @description The caller's own address answers as `GET /users/me`. Of another account the e-mail is masked (`j***@example.com`); nothing else differs.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            /** @description What is wrong, for people */
            error: string;
            /** @description Further detail */
            details?: string;
        };
        CommitmentReceipt: {
            /**
             * @description The transaction that records it
             * @example 0x9f2c8e4d1b7a6053c4e1f80b2d6a975318ecb04f7d2a61c95e3b8f0476d1a2c3
             */
            transaction_hash: string;
            /**
             * @description The owner's address with its EIP-55 checksum
             * @example 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed
             */
            user_address: string;
            /**
             * @description The collection CID; 64 zeros without a collection
             * @example 0xa7150f1a84a4126ef75b36a3026071c4beea777b117dc337f025890c55f0468c
             */
            set_cid: string;
            /**
             * @description The CID of the stamped content
             * @example 0x4b354cb9ac8aa42a6330889c32dbf0142f7a9029a57bd668b775ec3c2276aa42
             */
            object_cid: string;
            /**
             * @description The block time in UTC, `YYYY-MM-DDTHH:MM:SS+00:00`
             * @example 2026-11-21T04:10:07+00:00
             */
            timestamp: string;
            /**
             * @description The chain it stands on (EIP-155)
             * @example 31337
             */
            chain_id: number;
        };
        FileObject: {
            /**
             * @description `<base>_<YYYY-MM-DD>_<HH-MM-SS>+0000.<ext>`, by the receipt's time
             * @example reading_2026-11-21_04-10-07+0000.json
             */
            file_name: string;
            /**
             * @description `<user_address>/collections/<collection_name>/stamped/<file_name>`; without a collection `<user_address>/stamped/<file_name>`
             * @example 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed/collections/Forest/stamped/reading_2026-11-21_04-10-07+0000.json
             */
            file_path: string;
        };
        /**
         * @example {
         *       "data": "{\"reading\":21.5}",
         *       "file_name": "reading.json",
         *       "collection_name": "Forest"
         *     }
         */
        StampForm: {
            /**
             * Format: binary
             * @description Binary content to stamp; multipart only
             */
            file?: string;
            /**
             * @description Inline text or JSON to stamp; its exact UTF-8 bytes are hashed, and may be any
             * @example {"reading":21.5}
             */
            data?: string;
            /**
             * @description Name for `data`, which is named by its CID without one; 1 to 255 bytes of UTF-8; ignored, whatever it holds, without `data` or with a file
             * @example reading.json
             */
            file_name?: string;
            /**
             * @description The CID of content that is not sent; nothing is stored then
             * @example 0x4b354cb9ac8aa42a6330889c32dbf0142f7a9029a57bd668b775ec3c2276aa42
             */
            data_cid?: string;
            /** @description A collection of the account, recorded on the chain; not with `collection_name` */
            collection_cid?: string;
            /**
             * @description Case-insensitive; 1 to 255 bytes of UTF-8. A name that the account does not have yet becomes a collection.
             * @example Forest
             */
            collection_name?: string;
            /**
             * @description Whether the content that is sent is stored
             * @default true
             * @example true
             */
            store_stamped_file?: boolean;
            /**
             * @description Whether a stamp of the same content in the same collection is repeated; `false` always makes a new one
             * @default true
             * @example true
             */
            idempotent?: boolean;
            /**
             * @description How old, in seconds, a stamp may be to be repeated; one in flight is always joined
             * @default 3600
             * @example 3600
             */
            idempotency_window?: number;
        };
        UploadForm: {
            /** @description Case-insensitive; 1 to 255 bytes of UTF-8 */
            collection_name?: string;
            collection_cid?: string;
            /**
             * Format: binary
             * @description The file that was stamped; multipart only
             */
            file?: string;
            /** @description The inline text or JSON that was stamped; its exact UTF-8 bytes */
            data?: string;
            /** @description Name for `data`, required with it; 1 to 255 bytes of UTF-8; ignored, whatever it holds, with a file */
            file_name?: string;
        };
        StampCreatedResponse: {
            commitment_receipt: components["schemas"]["CommitmentReceipt"];
            file_object?: components["schemas"]["FileObject"];
        };
        IdempotentStampResponse: {
            commitment_receipt: components["schemas"]["CommitmentReceipt"];
        };
        /** @description One line of the body */
        StampBatchLine: {
            /**
             * @description The CID to stamp; not the zero CID
             * @example 0x4b354cb9ac8aa42a6330889c32dbf0142f7a9029a57bd668b775ec3c2276aa42
             */
            data_cid: string;
            /** @description A collection of the account, recorded on the chain; not with `collection_name` */
            collection_cid?: string | null;
            /**
             * @description Case-insensitive; 1 to 255 bytes of UTF-8. A name that the account does not have yet becomes a collection.
             * @example Forest
             */
            collection_name?: string | null;
            /**
             * @description Comes back with the result; means nothing to the service
             * @example a-1
             */
            client_ref?: string | null;
        };
        /** @description One line of the answer */
        StampBatchResult: {
            /**
             * @description The line of the body, counted from 1, empty ones too
             * @example 1
             */
            line: number;
            /**
             * @description As it was sent
             * @example a-1
             */
            client_ref?: string;
            /**
             * @example created
             * @enum {string}
             */
            status: "created" | "repeated" | "pending" | "failed" | "ended";
            commitment_receipt?: components["schemas"]["CommitmentReceipt"];
            /**
             * Format: uuid
             * @description Of the status resource; only when `pending`
             */
            id?: string;
            /** @description What is wrong, for people; only when `failed` or `ended` */
            error?: string;
            /** @description Further detail */
            details?: string;
            /** @description Whether the same line may succeed later; only when `failed` */
            retryable?: boolean;
        };
        /**
         * @description `accepted`: will be stamped. `submitted`: sent to the chain. `confirmed`: in a block, with a receipt, and what was to be stored is stored, or `error` says why it never will be. `finalized`: in a block that stays. `failed`: ended, `error` says why. A stamp lost to a reorganisation of the chain goes back to `submitted` until it is on the chain again.
         * @example confirmed
         * @enum {string}
         */
        StampStatusName: "accepted" | "submitted" | "confirmed" | "finalized" | "failed";
        StampAccepted: {
            /**
             * Format: uuid
             * @description Of the stamp
             * @example 0198f2c4-7b1e-4c3a-9d52-6e0f8a1b2c3d
             */
            id: string;
            status: components["schemas"]["StampStatusName"];
        };
        StampStatus: {
            /**
             * Format: uuid
             * @description Of the stamp
             * @example 0198f2c4-7b1e-4c3a-9d52-6e0f8a1b2c3d
             */
            id: string;
            status: components["schemas"]["StampStatusName"];
            /**
             * Format: date-time
             * @example 2026-11-21T04:10:05.123Z
             */
            requested_at: string;
            /** @example 0x4b354cb9ac8aa42a6330889c32dbf0142f7a9029a57bd668b775ec3c2276aa42 */
            object_cid: string;
            /** @example 0xa7150f1a84a4126ef75b36a3026071c4beea777b117dc337f025890c55f0468c */
            set_cid: string;
            commitment_receipt?: components["schemas"]["CommitmentReceipt"];
            file_object?: components["schemas"]["FileObject"];
            /** @description Why the stamp failed, or why the file that came with it could not be stored; only then */
            error?: string;
        };
        StampStatusesRequest: {
            /** @description Of stamps, or of requests that joined one; duplicates are folded */
            ids: string[];
        };
        StampStatuses: {
            stamps: {
                /**
                 * Format: uuid
                 * @description As it was given, in lower case
                 * @example 0198f2c4-7b1e-4c3a-9d52-6e0f8a1b2c3d
                 */
                requested_id: string;
                stamp: components["schemas"]["StampStatus"];
            }[];
            unknown_ids: string[];
        };
        /**
         * @description Of an event, without the prefix and version of its CloudEvents `type`
         * @example stamp.confirmed
         * @enum {string}
         */
        EventName: "stamp.submitted" | "stamp.confirmed" | "stamp.finalized" | "stamp.reverted" | "stamp.failed" | "file.stored" | "file.failed" | "collection.created" | "account.opened" | "webhook.disabled";
        /** @description A CloudEvent (1.0) in its JSON format */
        Event: {
            /** @example 1.0 */
            specversion: string;
            /**
             * Format: uuid
             * @description Of the event: one that comes twice has the same
             * @example 6f1c2d3e-4a5b-5c6d-8e7f-90a1b2c3d4e5
             */
            id: string;
            /**
             * @description Which installation it is from
             * @example indelible
             */
            source: string;
            /** @example com.indelible.stamp.confirmed.v1 */
            type: string;
            /**
             * @description The stamp's id, the collection's CID, or the account's address
             * @example 0198f2c4-7b1e-7c3a-9d52-6e0f8a1b2c3d
             */
            subject: string;
            /**
             * Format: date-time
             * @example 2026-11-21T04:10:08.123Z
             */
            time: string;
            /**
             * @description The JSON Schema of `data`
             * @example https://api.example.com/schemas/stamp.confirmed.v1.json
             */
            dataschema: string;
            /**
             * @description In its collection, from 1, without gaps: a loss can be seen
             * @example 17
             */
            sequence: string;
            /** @example Integer */
            sequencetype: string;
            /**
             * @description Of the request that caused it
             * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
             */
            traceparent?: string;
            /** @example application/json */
            datacontenttype: string;
            /** @description By the schema that `dataschema` names */
            data: {
                [key: string]: unknown;
            };
        };
        EventPage: {
            events: components["schemas"]["Event"][];
            /**
             * @description `after` of the next page
             * @example 57
             */
            next: string;
            /**
             * @description Whether there may be more already
             * @example false
             */
            more: boolean;
        };
        CreateWebhookRequest: {
            /**
             * @description Where events are sent. https, to public addresses; a local start also takes http to this machine
             * @example https://example.com/hooks/indelible
             */
            url: string;
            /**
             * @description Which events are sent; repeats are folded
             * @example [
             *       "stamp.confirmed",
             *       "stamp.failed"
             *     ]
             */
            types: components["schemas"]["EventName"][];
            /** @description Only events of these collections, by their CIDs; that of 64 zeros has stamps without a collection. Empty or not given: all, and events of the account itself */
            collections?: string[] | null;
            /**
             * @description Whether events of a collection are sent one after another
             * @example false
             */
            ordered?: boolean | null;
            /**
             * @description The owner's own words; empty is none
             * @example Stamps of the forest
             */
            description?: string | null;
        };
        UpdateWebhookRequest: {
            /** @description As at `POST /webhooks` */
            url?: string | null;
            /** @description As at `POST /webhooks` */
            types?: components["schemas"]["EventName"][] | null;
            /** @description Only events of these collections, by their CIDs; that of 64 zeros has stamps without a collection. Empty or not given: all, and events of the account itself */
            collections?: string[] | null;
            /**
             * @description Whether events of a collection are sent one after another
             * @example false
             */
            ordered?: boolean | null;
            /**
             * @description The owner's own words; empty is none
             * @example Stamps of the forest
             */
            description?: string | null;
            /**
             * @description `enabled` resumes where the webhook stopped
             * @example enabled
             * @enum {string|null}
             */
            status?: "enabled" | "disabled" | null;
        };
        Webhook: {
            /**
             * Format: uuid
             * @example 0198f2c4-7b1e-7c3a-9d52-6e0f8a1b2c3d
             */
            id: string;
            /** @example https://example.com/hooks/indelible */
            url: string;
            types: components["schemas"]["EventName"][];
            /** @description Empty: all */
            collections: string[];
            /** @example false */
            ordered: boolean;
            /** @example Stamps of the forest */
            description: string | null;
            /**
             * @example enabled
             * @enum {string}
             */
            status: "enabled" | "disabled";
            /**
             * @description `failing`: nothing was delivered for five days. `gone`: the receiver answered 410. `owner`: by `PATCH`
             * @enum {string|null}
             */
            disabled_reason: "failing" | "gone" | "owner" | null;
            /** Format: date-time */
            disabled_at: string | null;
            /**
             * Format: date-time
             * @description When the first delivery failed since the last that succeeded
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T04:10:05.123Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T04:10:05.123Z
             */
            updated_at: string;
            redelivery?: components["schemas"]["Redelivery"];
        };
        WebhookWithSecret: {
            /**
             * Format: uuid
             * @example 0198f2c4-7b1e-7c3a-9d52-6e0f8a1b2c3d
             */
            id: string;
            /** @example https://example.com/hooks/indelible */
            url: string;
            types: components["schemas"]["EventName"][];
            /** @description Empty: all */
            collections: string[];
            /** @example false */
            ordered: boolean;
            /** @example Stamps of the forest */
            description: string | null;
            /**
             * @example enabled
             * @enum {string}
             */
            status: "enabled" | "disabled";
            /**
             * @description `failing`: nothing was delivered for five days. `gone`: the receiver answered 410. `owner`: by `PATCH`
             * @enum {string|null}
             */
            disabled_reason: "failing" | "gone" | "owner" | null;
            /** Format: date-time */
            disabled_at: string | null;
            /**
             * Format: date-time
             * @description When the first delivery failed since the last that succeeded
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T04:10:05.123Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-21T04:10:05.123Z
             */
            updated_at: string;
            redelivery?: components["schemas"]["Redelivery"];
            /**
             * @description Verifies deliveries: `whsec_` and base64. Only in this answer
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret: string;
        };
        WebhookAttempt: {
            /**
             * Format: date-time
             * @example 2026-11-21T04:10:08.123Z
             */
            at: string;
            /**
             * @description Null without an answer
             * @example 500
             */
            http_status: number | null;
            /**
             * @description The first KiB of the answer, without control characters
             * @example oops
             */
            body: string | null;
            /**
             * @description Why there was no answer that counts: a word and a text
             * @example timeout: no complete response within 15000 ms
             */
            error: string | null;
            /** @example 37 */
            duration_ms: number;
        };
        WebhookDelivery: {
            /**
             * Format: uuid
             * @description That of the event, and its `webhook-id`
             * @example 6f1c2d3e-4a5b-5c6d-8e7f-90a1b2c3d4e5
             */
            id: string;
            type: components["schemas"]["EventName"];
            /**
             * @description `waiting`: for a further attempt, or for an earlier event of its collection. `failed`: after its last attempt
             * @enum {string}
             */
            status: "waiting" | "delivered" | "failed";
            /** @description The last 20, in their order */
            attempts: components["schemas"]["WebhookAttempt"][];
            /**
             * Format: date-time
             * @description Only while it waits
             */
            next_attempt_at: string | null;
        };
        WebhookDeliveries: {
            deliveries: components["schemas"]["WebhookDelivery"][];
            /** @description `cursor` of the next page; null when there is none */
            next_cursor: string | null;
        };
        WebhookTestResult: {
            /**
             * @description Whether the receiver answered 2xx
             * @example true
             */
            delivered: boolean;
            event: components["schemas"]["Event"];
            attempt: components["schemas"]["WebhookAttempt"];
        };
        RedeliverRequest: {
            /**
             * @description From this time on (ISO 8601 with an offset)
             * @example 2026-11-21T04:10:07Z
             */
            since: string;
            /**
             * @description Before this time; everything up to now when not given
             * @example 2026-11-22T00:00:00Z
             */
            until?: string | null;
            /** @description Which events; those of the webhook when not given */
            types?: components["schemas"]["EventName"][] | null;
        };
        Redelivery: {
            /**
             * Format: date-time
             * @example 2026-11-21T04:10:07.000Z
             */
            since: string;
            /** Format: date-time */
            until: string | null;
            types: components["schemas"]["EventName"][] | null;
            /**
             * Format: date-time
             * @example 2026-11-22T08:00:00.000Z
             */
            requested_at: string;
        };
        VerifyStampsRequest: {
            /** @description Duplicates are folded */
            cids: string[];
            /**
             * @description Only stamps that the caller owns
             * @default false
             * @example false
             */
            filter_by_user?: boolean | null;
            /** @description Receipts of the answer; without it all of them */
            limit?: number | null;
            /** @description The `next_cursor` of an answer to the same `cids` */
            cursor?: string | null;
        };
        VerificationResult: {
            /**
             * @description The setting of the account; changes no timestamp
             * @example UTC
             */
            display_timezone: string;
            stamp_list: components["schemas"]["CommitmentReceipt"][];
            /** @description Only when a `limit` was given; null when there are no more receipts */
            next_cursor?: string | null;
        };
        VerifyCollectionRequest: {
            /** @description Case-insensitive; inferred from the objects when omitted or null */
            collection_name?: string | null;
            /** @description The owner, in any case (mixed case carries a right EIP-55 checksum); inferred like the name */
            user_address?: string | null;
            /** @description Ignored; up to 1 MiB and 60 levels deep */
            context?: Record<string, never> | null;
            /** @description Ignored */
            file_name?: string | null;
            /** @description May be empty with a `collection_name` only */
            objects: components["schemas"]["ObjectToVerify"][];
        };
        ObjectToVerify: {
            /** @description Not the zero CID */
            cid: string;
            /** @description ISO 8601 with an offset, `T` or a space between date and time, of the years 1970 to 9999 in UTC; fractions of a second are cut */
            timestamp: string;
            /** @description Ignored */
            file_name?: string | null;
        };
        VerifyCollectionForm: {
            /**
             * Format: binary
             * @description A `.csv` or `.json` file
             */
            file: string;
        };
        UnmatchedObject: {
            cid: string;
            /** @description As it was sent */
            timestamp: string;
        };
        VerifyCollection: {
            name: string | null;
            /** @description The collection (set) CID */
            cid: string | null;
            /** @description The owner that was verified against */
            user_address: string | null;
            matched_receipts: components["schemas"]["CommitmentReceipt"][];
            /** @description Submitted objects with no receipt in this collection */
            unmatched_objects: components["schemas"]["UnmatchedObject"][];
            /** @description Receipts with no submitted object */
            unmatched_receipts: components["schemas"]["CommitmentReceipt"][];
        };
        VerifyCollectionResponse: {
            display_timezone: string;
            collections: components["schemas"]["VerifyCollection"][];
        };
        CreateCollectionRequest: {
            /**
             * @description Trimmed of outer white space and put in NFC; 1 to 255 bytes of UTF-8 without control characters, `/` and `\`. Names that are equal ignoring case are the same.
             * @example Forest
             */
            name: string;
            /** @description The SHA3-256 of the name when not given */
            cid?: string | null;
            /**
             * @description Without control characters; tabs and line breaks may be in it
             * @example Readings of the forest
             */
            description?: string | null;
            /**
             * @default false
             * @example false
             */
            is_pinned?: boolean | null;
        };
        Collection: {
            /** @example 1 */
            id: number;
            /**
             * @description With the letter case first given
             * @example Forest
             */
            name: string;
            /**
             * @description The set CID: SHA3-256 of the name, unless another was given
             * @example 0xa7150f1a84a4126ef75b36a3026071c4beea777b117dc337f025890c55f0468c
             */
            cid: string;
            /** @example false */
            is_pinned: boolean;
            /**
             * @description Always false
             * @example false
             */
            is_portfolio: boolean;
            /**
             * @description Always false
             * @example false
             */
            is_portfolio_collection: boolean;
            /**
             * @description Whether other accounts may list it
             * @example true
             */
            is_public: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T04:10:05.123Z
             */
            created_at: string;
            /**
             * @description Null when none was given
             * @example Readings of the forest
             */
            description: string | null;
        };
        AccountSettings: {
            /** @example Ada */
            name: string;
            /**
             * Format: email
             * @description Masked where it is another account's (`a***@example.com`)
             * @example ada@example.com
             */
            email: string;
            /**
             * @description Of the account, for ever
             * @example 0198f2c4-7b1e-4c3a-9d52-6e0f8a1b2c3d
             */
            persistent_id: string;
            /**
             * @description Empty without one
             * @example
             */
            description: string;
            /**
             * @description An IANA time zone; changes no timestamp
             * @example UTC
             */
            display_timezone: string;
            /**
             * Format: date-time
             * @example 2026-11-01T08:00:00.000Z
             */
            date_joined: string;
            /**
             * @description The address that the account stamps under, with its EIP-55 checksum
             * @example 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed
             */
            last_address: string;
            /**
             * @description The name last in use with that address
             * @example Ada
             */
            last_name: string;
            /**
             * @description Whether the address's grant to the service has been seen on the chain
             * @example true
             */
            last_is_verified: boolean;
            /**
             * @description Where files are stored
             * @example local
             * @enum {string}
             */
            storage_type: "gcs" | "local";
        };
    };
    responses: {
        /** @description Invalid input; `error` or `details` names the field, key or parameter */
        Invalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "idempotency_window: must be an integer from 0 to 31536000"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key is missing, malformed, unknown, expired or revoked, or its account is disabled */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "unauthorized",
                 *       "details": "the API key is expired"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key lacks the scope */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "forbidden",
                 *       "details": "the API key lacks the scope stamp"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not found */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "not found",
                 *       "details": "no such path"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The headers were not complete, or the body stood still, for 30 s; or it came at less than 1 KiB/s over a minute. How long a body takes as a whole is not limited. */
        TimedOut: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "the request took too long",
                 *       "details": "its body stood still"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than the limit, or an answer would be */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "the request is too large",
                 *       "details": "at most 16777216 bytes"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A content type or content encoding that this operation does not take */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "unsupported content type",
                 *       "details": "Content-Type must be application/json"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An internal fault */
        Internal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "internal error"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The rate limit of the API key is reached, or a daily quota of the account, which `details` names; `Retry-After` says when more is allowed. */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A part is away or busy; the same request may succeed later */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "a part of the service is unavailable; try again"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Requests the API key may make at once, when it has made none for a while */
        RateLimitLimit: number;
        /** @description Requests the API key may make now */
        RateLimitRemaining: number;
        /** @description Seconds until `RateLimit-Remaining` is `RateLimit-Limit` again */
        RateLimitReset: number;
        /** @description Seconds to wait before trying again */
        RetryAfter: number;
        /** @description URL of the stamp's status resource */
        StatusLocation: string;
        /** @description `respond-async` (RFC 7240) */
        PreferenceApplied: string;
        /** @description The methods of this path */
        Allow: string;
        /** @description `Bearer` */
        WwwAuthenticate: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createStamp: {
        parameters: {
            query?: never;
            header?: {
                /** @description `respond-async` answers 202 at once, with the status resource in `Location`. */
                Prefer?: string;
                /** @description Names this request within the account for 24 hours: the same key with the same request (all fields and the content's CID; `Prefer` does not count) replays the first 2xx, status and body, and a concurrent one waits for it; with another request it is a 400. Another outcome than 2xx frees the key; the same request under it joins the stamp that is on its way, also with `idempotent=false`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["StampForm"];
                "application/x-www-form-urlencoded": components["schemas"]["StampForm"];
            };
        };
        responses: {
            /** @description An idempotent repeat, with the earlier stamp's receipt */
            200: {
                headers: {
                    Location: components["headers"]["StatusLocation"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdempotentStampResponse"];
                };
            };
            /** @description A new stamp; `file_object` when a file is stored */
            201: {
                headers: {
                    Location: components["headers"]["StatusLocation"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StampCreatedResponse"];
                };
            };
            /** @description Accepted (`Prefer: respond-async`) */
            202: {
                headers: {
                    Location: components["headers"]["StatusLocation"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198f2c4-7b1e-4c3a-9d52-6e0f8a1b2c3d",
                     *       "status": "accepted"
                     *     }
                     */
                    "application/json": components["schemas"]["StampAccepted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TimedOut"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            /** @description A part is away or busy, or the chain has not confirmed within the wait limit; then the stamp goes on, `Location` and `details` hold its status resource, and an idempotent retry joins it, as does one with the same `Idempotency-Key`. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    Location: components["headers"]["StatusLocation"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createStampDeprecated: {
        parameters: {
            query?: never;
            header?: {
                /** @description `respond-async` answers 202 at once, with the status resource in `Location`. */
                Prefer?: string;
                /** @description Names this request within the account for 24 hours: the same key with the same request (all fields and the content's CID; `Prefer` does not count) replays the first 2xx, status and body, and a concurrent one waits for it; with another request it is a 400. Another outcome than 2xx frees the key; the same request under it joins the stamp that is on its way, also with `idempotent=false`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["StampForm"];
                "application/x-www-form-urlencoded": components["schemas"]["StampForm"];
            };
        };
        responses: {
            /** @description An idempotent repeat, with the earlier stamp's receipt */
            200: {
                headers: {
                    Location: components["headers"]["StatusLocation"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdempotentStampResponse"];
                };
            };
            /** @description A new stamp; `file_object` when a file is stored */
            201: {
                headers: {
                    Location: components["headers"]["StatusLocation"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StampCreatedResponse"];
                };
            };
            /** @description Accepted (`Prefer: respond-async`) */
            202: {
                headers: {
                    Location: components["headers"]["StatusLocation"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198f2c4-7b1e-4c3a-9d52-6e0f8a1b2c3d",
                     *       "status": "accepted"
                     *     }
                     */
                    "application/json": components["schemas"]["StampAccepted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TimedOut"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            /** @description A part is away or busy, or the chain has not confirmed within the wait limit; then the stamp goes on, `Location` and `details` hold its status resource, and an idempotent retry joins it, as does one with the same `Idempotency-Key`. */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    Location: components["headers"]["StatusLocation"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createStampsBatch: {
        parameters: {
            query?: {
                /** @description How old, in seconds, a stamp may be to be repeated; one in flight is always joined */
                idempotency_window?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {"data_cid":"0x4b354cb9ac8aa42a6330889c32dbf0142f7a9029a57bd668b775ec3c2276aa42","collection_name":"Forest","client_ref":"a-1"}
                 *     {"data_cid":"0x644bcc7e564373040999aac89e7622f3ca71fba1d972fd94a31c3bfbf24e3938"}
                 */
                "application/x-ndjson": components["schemas"]["StampBatchLine"];
                /**
                 * @example {"data_cid":"0x4b354cb9ac8aa42a6330889c32dbf0142f7a9029a57bd668b775ec3c2276aa42","collection_name":"Forest","client_ref":"a-1"}
                 *     {"data_cid":"0x644bcc7e564373040999aac89e7622f3ca71fba1d972fd94a31c3bfbf24e3938"}
                 */
                "application/jsonl": components["schemas"]["StampBatchLine"];
            };
        };
        responses: {
            /** @description A result for each line, as JSON lines */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["StampBatchResult"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TimedOut"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getStamp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID in its usual form of 36 characters, in either letter case; any other is a 404 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stamp as it stands */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StampStatus"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getStampStatuses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StampStatusesRequest"];
            };
        };
        responses: {
            /** @description The statuses found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StampStatuses"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TimedOut"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    uploadStampedFile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["UploadForm"];
                "application/x-www-form-urlencoded": components["schemas"]["UploadForm"];
            };
        };
        responses: {
            /** @description A commitment of this content has a file already; `Location` as in a 201 */
            200: {
                headers: {
                    Location: components["headers"]["StatusLocation"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StampCreatedResponse"];
                };
            };
            /** @description Stored now. `Location` names the status resource of the stamp, whose id its event `file.stored` has; it is left out when the content comes so soon after its stamp that the stamp is not known everywhere. */
            201: {
                headers: {
                    Location: components["headers"]["StatusLocation"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StampCreatedResponse"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `Collection not found`, or `No records found for this object_cid: <object_cid>`: the caller has no commitment of this content in the collection */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            408: components["responses"]["TimedOut"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    verifyStamps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyStampsRequest"];
            };
        };
        responses: {
            /** @description The receipts found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerificationResult"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TimedOut"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listCollections: {
        parameters: {
            query?: {
                /** @description An address in any case; one in mixed case carries a right EIP-55 checksum. */
                user_address?: string;
                is_pinned?: boolean;
                /** @description Collections of the answer; without it all of them */
                limit?: number;
                /** @description Taken from a `Link` with `rel="next"`; the collections after those of that answer */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The collections */
            200: {
                headers: {
                    /** @description Only when a `limit` was given and there are more: `<URL>; rel="next"` */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"][];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createCollection: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCollectionRequest"];
            };
        };
        responses: {
            /** @description The collection */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TimedOut"];
            /** @description The account has a collection of that name or CID already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    verifyCollection: {
        parameters: {
            query?: {
                /** @description With false, `unmatched_receipts` of every collection is empty */
                unmatched_receipts?: boolean;
            };
            header?: {
                /** @description The answer is JSON. */
                Accept?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "collection_name": "Annual reports",
                 *       "user_address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
                 *       "objects": [
                 *         {
                 *           "cid": "0x644bcc7e564373040999aac89e7622f3ca71fba1d972fd94a31c3bfbf24e3938",
                 *           "timestamp": "2026-03-01T09:30:00+00:00",
                 *           "file_name": "report.pdf"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["VerifyCollectionRequest"];
                /**
                 * @example collection_name,user_address,collection_timezone
                 *     Annual reports,0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed,
                 *     t,c,f
                 *     2026-03-01 09:30:00+00:00,0x644bcc7e564373040999aac89e7622f3ca71fba1d972fd94a31c3bfbf24e3938,report.pdf
                 */
                "text/csv": string;
                "multipart/form-data": components["schemas"]["VerifyCollectionForm"];
            };
        };
        responses: {
            /** @description The collections that were found or inferred, best first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyCollectionResponse"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TimedOut"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description Only events of these names, comma-separated
                 * @example [
                 *       "stamp.confirmed",
                 *       "stamp.reverted"
                 *     ]
                 */
                types?: components["schemas"]["EventName"][];
                /** @description Only events of these collections, by their CIDs, comma-separated; that of 64 zeros has stamps without a collection */
                collections?: string[];
                /**
                 * @description A time (ISO 8601 with an offset) from which on events are wanted; by when they were recorded. Not with `after`.
                 * @example 2026-11-21T04:10:07Z
                 */
                since?: string;
                /** @description The `next` of a page, or the `id:` of an event, behind which events are wanted; for clients that cannot set `Last-Event-ID` */
                after?: string;
                /** @description Events of a page, which may have fewer also when there are more; only for pages */
                limit?: number;
                /** @description Answers a page. Seconds for which an empty one waits for an event: `0` not at all */
                wait?: number;
            };
            header?: {
                /** @description The `id:` of the last event that was read; goes before `after` and `since`, which a client repeats when it connects again */
                "Last-Event-ID"?: string;
                /** @description `text/event-stream`, as browsers send it, or `application/json` */
                Accept?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream, or a page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example retry: 1734
                     *     id: 41
                     *
                     *     id: 42
                     *     event: stamp.submitted
                     *     data: {"specversion":"1.0","id":"6f1c…","source":"indelible","type":"com.indelible.stamp.submitted.v1",…,"data":{"stamp_id":"0198f2c4-7b1e-7c3a-9d52-6e0f8a1b2c3d",…}}
                     *
                     *     id: 43
                     *     event: stamp.confirmed
                     *     data: {"specversion":"1.0","id":"a92b…","source":"indelible","type":"com.indelible.stamp.confirmed.v1",…,"data":{"stamp_id":"0198f2c4-7b1e-7c3a-9d52-6e0f8a1b2c3d","commitment_receipt":{…},…}}
                     *
                     *     : heartbeat
                     *     id: 57
                     *
                     *     event: end
                     *     data: {"error":"the service restarts","details":"connect again with Last-Event-ID"}
                     */
                    "text/event-stream": string;
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"][];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookRequest"];
            };
        };
        responses: {
            /** @description The webhook, with its secret */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TimedOut"];
            /** @description The account has as many webhooks as it may (20, by configuration) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook's id; any other is a 404 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook's id; any other is a 404 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook's id; any other is a 404 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookRequest"];
            };
        };
        responses: {
            /** @description The webhook as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TimedOut"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook's id; any other is a 404 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook, with its new secret */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description Five former secrets still sign; `details` says from when another can be made */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook's id; any other is a 404 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The test was sent; whether it was delivered says `delivered` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTestResult"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Only deliveries in this state */
                status?: "waiting" | "delivered" | "failed";
                /** @description Deliveries of a page */
                limit?: number;
                /** @description The `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The webhook's id; any other is a 404 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveries"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    redeliverDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook's id; any other is a 404 */
                id: string;
                /** @description The delivery's id, which is that of its event; any other is a 404 */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, which is due now */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    redeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook's id; any other is a 404 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedeliverRequest"];
            };
        };
        responses: {
            /** @description Under way */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redelivery"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TimedOut"];
            /** @description Another redelivery of the webhook is under way */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getCurrentUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountSettings"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An address in any letter case; one in mixed case carries a right EIP-55 checksum. */
                user_address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountSettings"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
}
