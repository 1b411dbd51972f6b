/**
 * Version of the recipe runtime: it changes when the same recipe could answer differently. Part of receipts and caches.
 */
export const RUNTIME_VERSION = 'svc-runtime-1'

/** Version of the library that builds and verifies archives. */
export const LIBRARY_VERSION = '0.1.0'
