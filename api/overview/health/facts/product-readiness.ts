import { checkDeeply, type DeepCheck } from './deep-readiness.ts'
import type { OverviewServices, Route } from '../../services.ts'

/** The routes of one group that are mounted. */
export interface MountedGroup {
  readonly group: string
  readonly routes: readonly Pick<Route, 'method' | 'path' | 'operationId' | 'auth' | 'scope'>[]
}

/** A system outside that the service can work with. */
export interface Integration {
  readonly name: string
  readonly isConfigured: boolean
}

/** The mounted groups, configured integrations and passing checks at one moment. */
export interface ProductReadiness {
  readonly groups: readonly MountedGroup[]
  readonly integrations: readonly Integration[]
  readonly checks: readonly DeepCheck[]
  readonly generatedAt: Date
}

/** The route is public, so its checks run at most once in this time, milliseconds. */
const KEPT_MS = 5000

const kept = new WeakMap<OverviewServices, { readonly atMs: number; readonly checks: Promise<readonly DeepCheck[]> }>()

/** The ledger of readiness, computed from the running system: what is mounted, configured and passing right now. */
export async function readProductReadiness(
  services: OverviewServices,
  routes: readonly Route[],
): Promise<ProductReadiness> {
  const checks = await checksOf(services)
  return {
    groups: groupsOf(routes),
    integrations: integrationsOf(services),
    checks,
    generatedAt: services.now(),
  }
}

async function checksOf(services: OverviewServices): Promise<readonly DeepCheck[]> {
  const known = kept.get(services)
  if (known && performance.now() - known.atMs < KEPT_MS) return await known.checks
  const checks = checkDeeply(services)
  kept.set(services, { atMs: performance.now(), checks })
  return await checks
}

function groupsOf(routes: readonly Route[]): readonly MountedGroup[] {
  const groups = Map.groupBy(routes, ({ group }) => group)
  return [...groups]
    .map(([group, members]) => ({ group, routes: members }))
    .toSorted((left, right) => left.group.localeCompare(right.group))
}

/** The integrations that an operator can configure, and the state of each. */
export function integrationsOf({ settings, processor }: OverviewServices): readonly Integration[] {
  return [
    { name: 'frontier_model', isConfigured: settings.teacher !== undefined },
    { name: 'mail', isConfigured: settings.isMailConfigured },
    { name: 'payments', isConfigured: processor !== null },
    { name: 'oauth_google', isConfigured: settings.oauth.google !== undefined },
    { name: 'oauth_github', isConfigured: settings.oauth.github !== undefined },
    { name: 'metrics_gate', isConfigured: settings.metricsToken !== undefined },
    { name: 'admin_key', isConfigured: settings.adminKey !== undefined },
    { name: 'public_url', isConfigured: settings.publicUrl !== undefined },
  ]
}
