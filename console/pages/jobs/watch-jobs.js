import { get, withQuery } from '../../api.js'
import { isUnderWay } from './jobs-table.js'
/** @typedef {import('./jobs.js').JobSummary} JobSummary */

/** Interval between reads of running jobs, and after a failed read; milliseconds. */
const LOOK_AGAIN_MS = { usually: 2000, afterTrouble: 10_000 }
/** The most that one page of a list holds. */
const PAGE = 200

/**
 * Reports changes of the unfinished jobs of a list while the list is shown on a visible page.
 *
 * @param {{ jobs: readonly JobSummary[], signal: AbortSignal, isShown: () => boolean,
 *   onChange: (job: JobSummary) => void, onTrouble: (error: unknown) => void }} input `onTrouble` is called with
 *   undefined when it is over
 */
export function watchJobs({ jobs, signal, isShown, onChange, onTrouble }) {
  let open = jobs.filter(isUnderWay)
  let wasTrouble = false
  const look = async () => {
    if (signal.aborted || !isShown()) return
    try {
      if (!document.hidden) {
        const now = await readJobs(open, signal)
        for (const job of now) onChange(job)
        open = open.flatMap((job) => now.find(({ id }) => id === job.id) ?? job).filter(isUnderWay)
      }
      if (wasTrouble) onTrouble(undefined)
      wasTrouble = false
    } catch (error) {
      if (signal.aborted) return
      wasTrouble = true
      onTrouble(error)
    }
    plan()
  }
  const plan = () => {
    if (open.length === 0) return
    setTimeout(() => void look(), wasTrouble ? LOOK_AGAIN_MS.afterTrouble : LOOK_AGAIN_MS.usually)
  }
  plan()
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
  // The document of a job says `completed` where lists say `ready`.
  return { ...job, status: job.status === 'completed' ? 'ready' : job.status }
}
