/** A module of the page could not be loaded: a browser does not ask for it again until the page is reloaded. */
export class LoadError extends Error {}

/**
 * Loads a part of the console. Throws `LoadError` for one that cannot be loaded.
 *
 * @template T
 * @param {() => Promise<T>} load
 * @returns {Promise<T>}
 */
export async function loadPart(load) {
  try {
    return await load()
  } catch (cause) {
    throw new LoadError('A part of this page could not be loaded. Check your connection, then reload the page', {
      cause,
    })
  }
}
