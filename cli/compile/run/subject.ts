import { JobView } from '../../../core/compile/wire/jobs/job.ts'
import type { ApiClient } from '../../client/api-client.ts'
import { usageError } from '../../cli-error.ts'

/** The API's name of the version that runs. */
export type Subject =
  | { readonly concept_id: string }
  | { readonly version_id: string }
  | { readonly artifact_cid: string }

/** Returns true for a target that the server runs; everything else is a file. */
export function isOnline(target: string): boolean {
  return /^(cpt|ver|cmp)_|^cidv1:/.test(target)
}

/** Returns the subject of a target: a concept, a version, a CID, or a job, whose version is asked for. */
export async function findSubject(client: ApiClient, target: string): Promise<Subject> {
  if (target.startsWith('cpt_')) return { concept_id: target }
  if (target.startsWith('ver_')) return { version_id: target }
  if (target.startsWith('cidv1:')) return { artifact_cid: target }
  const { version_id: versionId } = await client.call(`/v1/compile/${target}`, JobView)
  if (versionId === undefined) throw usageError(`${target} is not ready: it has no version that can be run`)
  return { version_id: versionId }
}
