export interface HostsOptions {
    /**
     * Address of the application: https://shop.search.example. Where the host begins with the name of the application,
     * its replica hosts are used as well: shop-a, shop-b, shop-c, in turn, and the plain host when none of them can be
     * reached. Any other host stands for itself.
     */
    url?: string;
    /** Addresses to use in turn, instead of those that follow from url. */
    hosts?: readonly string[];
    application: string;
    /** How often a request is sent at most, the first time included; twice to each host, and at least 5 times, unless set. */
    attempts?: number;
    /** Longest single pause before an attempt, in milliseconds; a longer one ends the attempts. 30,000 unless set. */
    maxWait?: number;
    /** What sends requests; the fetch of the platform unless set. */
    fetch?: (request: Request) => Promise<Response>;
}
/** Replica hosts of an application, a, b, c, and then the plain one; url alone where it does not begin with its name. */
export declare function replicaHosts(url: string, application: string): string[];
/** Sends requests to the hosts in turn, and leaves out for a while those that fail. */
export declare class Hosts {
    #private;
    constructor(options: HostsOptions);
    /** Sends a request to a host, and on to the next one as long as that may help and does no harm. */
    fetch(request: Request): Promise<Response>;
}
