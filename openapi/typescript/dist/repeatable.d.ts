/**
 * Tells whether a request may be sent again although an earlier attempt may have been applied: whether its second
 * application changes nothing. Deleting what an earlier attempt has deleted answers 404.
 */
export declare function repeatable(method: string, path: string, query: URLSearchParams, body: Uint8Array | undefined): boolean;
