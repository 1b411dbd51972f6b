import { useEffect, useState } from 'preact/hooks'
import { get, withQuery } from '../../api.js'
import { isUnderWay } from './under-way.js'
/** @typedef {import('./jobs.js').JobSummary} JobSummary */

/** Interval between reads of running jobs, and after a failed read; milliseconds. */
const LOOK_AGAIN_MS = { usually: 2000, afterTrouble: 10_000 }
/** The most that one page of a list holds. */
const PAGE = 200

/**
 * Keeps the unfinished jobs of a list up to date while the page is visible. Returns the list as it is now, and the
 * error of the last read.
 *
 * @param {readonly JobSummary[] | undefined} jobs
 * @returns {{ now: readonly JobSummary[] | undefined, error: unknown }}
 */
export function useWatchedJobs(jobs) {
  const [news, setNews] = useState(/** @type {ReadonlyMap<string, JobSummary>} */ (new Map()))
  const [error, setError] = useState(/** @type {unknown} */ (undefined))
  const now = jobs?.map((job) => (isUnderWay(job) ? (news.get(job.id) ?? job) : job))
  const open = (jobs ?? []).filter(isUnderWay)
  const ids = open.map(({ id }) => id).join()
  useEffect(() => {
    if (ids === '') return undefined
    const leaving = new AbortController()
    void watch(open, leaving.signal, (found) => setNews((known) => merge(known, found)), setError)
    return () => {
      leaving.abort()
      setError(undefined)
    }
  }, [ids])
  return { now, error }
}

/**
 * @param {ReadonlyMap<string, JobSummary>} known
 * @param {readonly JobSummary[]} found
 */
function merge(known, found) {
  return new Map([...known, ...found.map((job) => /** @type {const} */ ([job.id, job]))])
}

/**
 * Reads these jobs again and again until they have ended or the signal is aborted.
 *
 * @param {readonly JobSummary[]} jobs
 * @param {AbortSignal} signal
 * @param {(found: readonly JobSummary[]) => void} onNews
 * @param {(error: unknown) => void} onTrouble called with undefined when it is over
 */
async function watch(jobs, signal, onNews, onTrouble) {
  let open = jobs
  let waitMs = LOOK_AGAIN_MS.usually
  while (open.length > 0) {
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    if (signal.aborted) return
    if (document.hidden) continue
    try {
      const found = await readJobs(open, signal)
      if (signal.aborted) return
      onNews(found)
      onTrouble(undefined)
      waitMs = LOOK_AGAIN_MS.usually
      open = open.flatMap((job) => found.find(({ id }) => id === job.id) ?? job).filter(isUnderWay)
    } catch (error) {
      if (signal.aborted) return
      onTrouble(error)
      waitMs = LOOK_AGAIN_MS.afterTrouble
    }
  }
}

/**
 * Reads the current state of these jobs: from the lists of running and queued jobs, and one by one for jobs that have
 * left the lists. A queued job behind a full page of others is not read, since it has not moved.
 *
 * @param {readonly JobSummary[]} open
 * @param {AbortSignal} signal
 * @returns {Promise<readonly JobSummary[]>}
 */
async function readJobs(open, signal) {
  /** @type {readonly { jobs: readonly JobSummary[], next_cursor: string | null }[]} */
  const pages = await Promise.all(
    ['running', 'queued'].map((status) => get(withQuery('/v1/compile', { status, limit: PAGE }), signal)),
  )
  const listed = new Map(pages.flatMap(({ jobs }) => jobs).map((job) => [job.id, job]))
  const isWhole = pages.every(({ next_cursor: next }) => next === null)
  const now = []
  for (const job of open) {
    const found = listed.get(job.id)
    if (found) now.push(found)
    else if (isWhole || job.status === 'running') now.push(await readEnded(job.id, signal))
  }
  return now
}

/**
 * @param {string} id
 * @param {AbortSignal} signal
 * @returns {Promise<JobSummary>}
 */
async function readEnded(id, signal) {
  /** @type {import('./job.js').Job} */
  const job = await get(`/v1/compile/${id}`, signal)
  return { ...job, status: job.status_label }
}
