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
    "/stamps/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The status of a stamp, kept for ever */
        get: operations["getStamp"];
        put?: never;
        post?: never;
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
         * @description Receipts in the order in which their CIDs were asked, then by time. A CID without a stamp has no entry; duplicates are folded.
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
         * @description Without `user_address`, or with the caller's own, all of the caller's collections; with another account's address only that account's public ones.
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            error: string;
            details?: string;
        };
        CommitmentReceipt: {
            transaction_hash: string;
            /** @description The owner's address with its EIP-55 checksum */
            user_address: string;
            /** @description The collection CID; 64 zeros without a collection */
            set_cid: string;
            object_cid: string;
            /** @description The block time in UTC, `YYYY-MM-DDTHH:MM:SS+00:00` */
            timestamp: string;
            chain_id: number;
        };
        FileObject: {
            file_name: string;
            file_path: string;
        };
        StampForm: {
            /**
             * Format: binary
             * @description Binary content to stamp; multipart only
             */
            file?: string;
            /** @description Inline text or JSON to stamp; its exact UTF-8 bytes are hashed */
            data?: string;
            /** @description Name for `data`; ignored with a file */
            file_name?: string;
            /** @description An existing CID to stamp */
            data_cid?: string;
            collection_cid?: string;
            /** @description Case-insensitive; 1 to 255 bytes of UTF-8 */
            collection_name?: string;
            /** @default true */
            store_stamped_file: boolean;
            /** @default true */
            idempotent: boolean;
            /**
             * @description Seconds
             * @default 3600
             */
            idempotency_window: number;
        };
        StampCreatedResponse: {
            commitment_receipt: components["schemas"]["CommitmentReceipt"];
            file_object?: components["schemas"]["FileObject"];
        };
        IdempotentStampResponse: {
            commitment_receipt: components["schemas"]["CommitmentReceipt"];
        };
        /** @enum {string} */
        StampStatusName: "accepted" | "submitted" | "confirmed" | "finalized" | "failed";
        StampAccepted: {
            /** Format: uuid */
            id: string;
            status: components["schemas"]["StampStatusName"];
        };
        StampStatus: {
            /** Format: uuid */
            id: string;
            status: components["schemas"]["StampStatusName"];
            /** Format: date-time */
            requested_at: string;
            object_cid: string;
            set_cid: string;
            commitment_receipt?: components["schemas"]["CommitmentReceipt"];
            file_object?: components["schemas"]["FileObject"];
            /** @description Why the stamp failed */
            error?: string;
        };
        VerifyStampsRequest: {
            cids: string[];
            /** @default false */
            filter_by_user: boolean;
        };
        VerificationResult: {
            display_timezone: string;
            stamp_list: components["schemas"]["CommitmentReceipt"][];
        };
        CreateCollectionRequest: {
            /** @description Trimmed, in NFC; 1 to 255 bytes of UTF-8 */
            name: string;
            /** @description The SHA3-256 of the name when not given */
            cid?: string | null;
            description?: string | null;
            /** @default false */
            is_pinned: boolean;
        };
        Collection: {
            id: number;
            name: string;
            cid: string;
            is_pinned: boolean;
            is_portfolio: boolean;
            is_portfolio_collection: boolean;
            is_public: boolean;
            /** Format: date-time */
            created_at: string;
            description: string | null;
        };
        AccountSettings: {
            name: string;
            /** Format: email */
            email: string;
            persistent_id: string;
            description: string;
            display_timezone: string;
            /** Format: date-time */
            date_joined: string;
            last_address: string;
            last_name: string;
            last_is_verified: boolean;
            /** @enum {string} */
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
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key is missing, malformed, unknown, expired or revoked */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key lacks the scope */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not found */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The headers were not complete, or the body stood still, for 30 s */
        TimedOut: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than the limit */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A content type or content encoding that this operation does not take */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An internal fault */
        Internal: {
            headers: {
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
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Seconds to wait before trying again */
        RetryAfter: number;
        /** @description URL of the stamp's status resource */
        StatusLocation: string;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdempotentStampResponse"];
                };
            };
            /** @description A new stamp; `file_object` when a file is stored */
            201: {
                headers: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StampAccepted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TimedOut"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            /** @description A part is away or busy, or the chain has not confirmed within the wait limit; then the stamp goes on, `Location` and `details` hold its status resource, and an idempotent retry joins it. */
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
    getStamp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
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
            503: components["responses"]["Unavailable"];
        };
    };
    listCollections: {
        parameters: {
            query?: {
                /** @description An address in any case; one in mixed case carries a right EIP-55 checksum. */
                user_address?: string;
                is_pinned?: boolean;
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
            503: components["responses"]["Unavailable"];
        };
    };
}
