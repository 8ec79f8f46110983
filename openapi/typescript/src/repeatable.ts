/**
 * Tells whether a request may be sent again although an earlier attempt may have been applied: whether its second
 * application changes nothing. Deleting what an earlier attempt has deleted answers 404.
 */
export function repeatable({ method, headers }: Request, path: string, query: URLSearchParams, body: Uint8Array | undefined): boolean {
  // /v1/index/{index}/document/{id}, with what may stand in names still escaped.
  const parts = path.split("/").filter((part) => part !== "");
  switch (method) {
    case "GET":
    case "HEAD":
    case "DELETE":
      return true;
    case "PUT":
      if (parts[3] === "batch") return repeatableBatch(body);
      // A patch is made of what is there, which others may have written meanwhile.
      if (parts[3] === "document") return query.get("action") !== "patch" && !headers.get("Content-Type")?.startsWith("application/merge-patch+json");
      return true;
    case "POST":
      // Searches, reading a batch, and storing a document under its id.
      return parts[1] === "search" || parts[3] === "batch" || (parts[3] === "document" && parts[4] !== undefined && query.get("action") !== "patch");
  }
  return false;
}

/** Upserts and deletions of named documents. */
function repeatableBatch(body: Uint8Array | undefined): boolean {
  if (body === undefined) return false;
  try {
    const actions: unknown = JSON.parse(new TextDecoder().decode(body));
    return (
      Array.isArray(actions) &&
      actions.every((action: { action?: unknown; _id?: unknown } | null) => {
        const name = typeof action?.action === "string" ? action.action.toLowerCase() : "";
        return (name === "upsert" || name === "delete") && typeof action?._id === "string";
      })
    );
  } catch {
    return false;
  }
}
