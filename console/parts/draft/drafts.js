/** Names in the browser's storage begin with this. */
const PREFIX = 'svc-draft:'
/** The owner of what is typed before signing in. */
export const GUEST = 'guest'
/** Characters of one draft; a larger one stays in memory only. */
const MOST_CHARS = 200_000
/** Drafts of one browser; the oldest goes when there are more. */
const MOST_DRAFTS = 12
const LIFE_MS = 30 * 86_400_000

/** Drafts of this visit, by name: what storage refuses or cannot hold, such as files. */
const memory = /** @type {Map<string, unknown>} */ (new Map())

/**
 * The name of a draft.
 *
 * @param {string} owner an account and its member, or `GUEST`
 * @param {string} page
 */
export function draftName(owner, page) {
  return `${PREFIX}${owner}:${page}`
}

/**
 * Returns a draft; undefined when there is none, or when it is older than 30 days.
 *
 * @param {string} name
 * @returns {any}
 */
export function readDraft(name) {
  if (memory.has(name)) return memory.get(name)
  return withStorage((storage) => parsed(storage.getItem(name))?.value)
}

/**
 * Keeps a draft in place of the one before. Members that are files are kept for this visit only.
 *
 * @param {string} name
 * @param {Record<string, unknown>} value
 */
export function keepDraft(name, value) {
  memory.set(name, value)
  withStorage((storage) => {
    const plain = Object.fromEntries(Object.entries(value).filter(([, member]) => !(member instanceof File)))
    const text = JSON.stringify({ at: Date.now(), value: plain })
    if (text.length > MOST_CHARS) return storage.removeItem(name)
    if (storage.getItem(name) === null) makeRoom(storage)
    return storage.setItem(name, text)
  })
}

/** @param {string} name */
export function removeDraft(name) {
  memory.delete(name)
  withStorage((storage) => storage.removeItem(name))
}

/** Removes every draft of this browser, as at sign-out. */
export function removeDrafts() {
  memory.clear()
  withStorage((storage) => {
    for (const name of namesIn(storage)) storage.removeItem(name)
  })
}

/**
 * Removes the drafts that are too old, and the oldest one when no other has room.
 *
 * @param {Storage} storage
 */
function makeRoom(storage) {
  const dated = namesIn(storage).map((name) => ({ name, at: parsed(storage.getItem(name))?.at ?? 0 }))
  const live = dated.filter(({ at }) => at > 0).toSorted((a, b) => b.at - a.at)
  const gone = [...dated.filter(({ at }) => at === 0), ...live.slice(MOST_DRAFTS - 1)]
  for (const { name } of gone) storage.removeItem(name)
}

/** @param {Storage} storage */
function namesIn(storage) {
  return Object.keys(storage).filter((name) => name.startsWith(PREFIX))
}

/**
 * @param {string | null} text
 * @returns {{ at: number, value: unknown } | undefined} undefined for what is too old, or no draft
 */
function parsed(text) {
  if (text === null) return undefined
  try {
    const { at, value } = JSON.parse(text)
    return Date.now() - at < LIFE_MS ? { at, value } : undefined
  } catch {
    // Another program of this origin wrote it.
    return undefined
  }
}

/**
 * @template T
 * @param {(storage: Storage) => T} work
 */
function withStorage(work) {
  try {
    return work(localStorage)
  } catch {
    // A browser that keeps nothing, or has no room: the draft lasts for this visit.
    return undefined
  }
}
