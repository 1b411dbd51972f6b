import { fileURLToPath } from 'node:url'
import { loadTemporalYaml } from './temporal-yaml.ts'

const YAML = fileURLToPath(new URL('../temporal.yaml', import.meta.url))

/**
 * Returns the address of Temporal's page with the compile jobs: the namespace of the service, without the runs that
 * schedules start. `namespace` is the one that `TEMPORAL_NAMESPACE` names. Returns undefined without an address, where the
 * stack did not start Temporal.
 */
export function jobsPageOf(
  uiUrl: string | undefined,
  namespace = loadTemporalYaml(YAML).namespace.name,
): string | undefined {
  if (uiUrl === undefined) return undefined
  const query = encodeURIComponent('SvcKind="compile"')
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows?query=${query}`
}
