import type { z } from 'zod'
import { surfacesOf, type Surface } from '../../../core/overview/surfaces.ts'
import { accountDetails } from '../../../db/overview/account/account-details.ts'
import { compilerOverview, type OverviewCounts } from '../../../db/overview/account/overview.ts'
import { proposedActions } from '../../../db/overview/account/proposed-actions.ts'
import { quotaOf } from '../../../core/kernel/tenant/quota-of.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { presentNextAction } from './next-action-schema.ts'
import {
  GetCompilerOverviewAnswer,
  type StepView,
  type SurfaceView,
} from '../../../core/overview/wire/account/compiler-overview.ts'
import { defineRoute, type Route } from '../services.ts'

const ACTIONS = 5

/** The route of the overview over all routes, its own included. */
export function compilerOverviewRoute(routes: () => readonly Route[]): Route {
  return defineRoute({
    method: 'get',
    path: '/v1/account/compiler-overview',
    operationId: 'getCompilerOverview',
    group: 'accounts',
    summary: 'Show the overview for an application',
    description:
      'Counts and jobs of the tenant, what to do next, and the parts of the service with the routes they have.',
    auth: 'key',
    scope: 'account:read',
    namespace: 'bounded',
    answers: {
      200: envelope('The overview', GetCompilerOverviewAnswer),
    },
  }).handle(async ({ services, op }) => {
    const [account, overview, actions] = await Promise.all([
      accountDetails(op),
      compilerOverview(op),
      proposedActions(op),
    ])
    const { counts } = overview
    const { primary, secondary } = surfacesOf(routes())
    return {
      status: 200,
      body: {
        version: services.settings.version,
        tenant: {
          id: account.id,
          name: account.name,
          plan: account.plan,
          quota: quotaOf({ plan: account.plan, quota: account.quotaOverride }, services.limits),
        },
        onboarding: { steps: stepsOf(counts) },
        counts: {
          observed_captures: counts.captures,
          capture_sources: counts.sources,
          namespaces: counts.namespaces,
          compile_jobs: counts.compileJobs,
          artifacts: counts.artifacts,
          specialists: counts.specialists,
          calls: counts.calls,
        },
        namespaces: overview.namespaces.map(({ namespace, captures }) => ({ namespace, captures })),
        recent_compile_jobs: overview.recentJobs.map((job) => ({
          id: job.id,
          task: job.task,
          namespace: job.namespace,
          status: job.status,
          artifact_ready: job.status === 'ready',
          created_at: job.createdAt.toISOString(),
        })),
        next_actions: actions.slice(0, ACTIONS).map(presentNextAction),
        primary_surfaces: primary.map(presentSurface),
        secondary_surfaces: secondary.map(presentSurface),
        empty_state: emptyStateOf(counts),
        generated_at: op.now().toISOString(),
      },
    }
  })
}

function stepsOf(counts: OverviewCounts): z.input<typeof StepView>[] {
  return [
    { id: 'capture', done: counts.captures > 0 },
    { id: 'compile', done: counts.artifacts > 0 },
    { id: 'deploy', done: counts.calls + counts.deliveries > 0 },
  ]
}

function emptyStateOf({ captures, artifacts }: OverviewCounts): 'nothing_compiled' | 'nothing_captured' | null {
  if (artifacts === 0) return 'nothing_compiled'
  return captures === 0 ? 'nothing_captured' : null
}

function presentSurface({ id, routes }: Surface): z.input<typeof SurfaceView> {
  return { id, docs: '/docs', routes: routes.map(({ method, path }) => ({ method, path })) }
}
