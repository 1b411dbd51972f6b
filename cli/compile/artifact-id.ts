import { FindByCidAnswer, ListArtifactsAnswer } from '../../core/compile/wire/artifacts.ts'
import { GetConceptAnswer } from '../../core/compile/wire/concepts.ts'
import type { ApiClient } from '../client/api-client.ts'
import { CliError } from '../cli-error.ts'

/**
 * Returns the id of the artifact that an id of any kind names: a job has the id of its artifact, a version has one
 * artifact, a concept has that of its newest version, a CID the newest one. Throws `CliError` where there is none.
 */
export async function findArtifactId(client: ApiClient, target: string): Promise<string> {
  const name = encodeURIComponent(target)
  if (target.startsWith('ver_')) return await ofVersion(client, target)
  if (target.startsWith('cpt_')) {
    const { head_version: version } = await client.call(`/v1/concepts/${name}`, GetConceptAnswer)
    return version === null ? noArtifact(target) : await ofVersion(client, version)
  }
  if (!target.startsWith('cidv1:')) return target
  const { artifacts } = await client.call(`/v1/cid/${name}`, FindByCidAnswer)
  return artifacts[0]?.id ?? noArtifact(target)
}

async function ofVersion(client: ApiClient, version: string): Promise<string> {
  const path = `/v1/artifacts?limit=1&version_id=${encodeURIComponent(version)}`
  const { artifacts } = await client.call(path, ListArtifactsAnswer)
  // A server before this filter lists every artifact.
  return artifacts.find((one) => one.version_id === version)?.id ?? noArtifact(version)
}

function noArtifact(target: string): never {
  throw new CliError(`${target}: no artifact of this account has this id; svc jobs lists the jobs`, {
    code: 'not_found',
  })
}
