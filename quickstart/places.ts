import { formatFacts } from '../cli/terminal/table.ts'
import { jobsPageOf } from '../config/jobs-page.ts'

/** The addresses of a running service, and the path of its log. */
export interface Places {
  readonly apiUrl: string
  /** Undefined where the operator's own Temporal runs. */
  readonly temporalUiUrl: string | undefined
  /** The namespace that `TEMPORAL_NAMESPACE` names. */
  readonly namespace?: string | undefined
  readonly logPath: string
}

/** Returns the lines under "where to look": the API, its documentation, the compile jobs in Temporal's pages, the log. */
export function describePlaces({ apiUrl, temporalUiUrl, namespace, logPath }: Places): string {
  return formatFacts([
    ['API', apiUrl],
    ['Documentation', `${apiUrl}/docs`],
    ['Temporal UI', jobsPageOf(temporalUiUrl, namespace) ?? 'that of your own Temporal'],
    ['logs', logPath],
  ])
}
