import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { planDeployment } from '../../../core/learn/plans/cloud/deploy-plan.ts'
import { DEPLOY_SPEC, TARGETS, targetOf, type DeployTarget } from '../../../core/learn/plans/cloud/targets.ts'
import { DeployPlanAnswer, DeployPlanBody, DeployTargetsAnswer } from '../../../core/learn/wire/cloud/deploy.ts'
import { openArchive } from '../../../db/compile/artifacts/find-artifact.ts'
import { ARCHIVE_ERRORS } from '../../compile/submit/archive.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'

/** Where a checkout of this program is, on the machine that the archive runs on. */
const HOME_REF = 'env:SVC_HOME'
const ARTIFACT_REF = 'env:SVC_ARTIFACT_ID'

export const listDeployTargetsRoute = defineRoute({
  method: 'get',
  path: '/v1/cloud/deploy-targets',
  operationId: 'listDeployTargets',
  group: 'cloud',
  summary: 'List where an artifact can be deployed to',
  auth: 'key',
  scope: 'cloud:read',
  namespace: 'none: it is the same in every namespace',
  answers: { 200: envelope('The targets', DeployTargetsAnswer) },
}).handle(async () => ({
  status: 200,
  body: {
    targets: TARGETS.map((target) => ({
      id: target.id,
      label: target.label,
      category: target.category,
      status: target.whyNot === null ? ('available' as const) : ('not_available' as const),
      why_not: target.whyNot,
      command: target.tool,
      secret_refs: [...target.secretRefs],
      strengths: [...target.strengths],
    })),
    by_category: Object.fromEntries(
      [...Map.groupBy(TARGETS, ({ category }) => category)].map(([category, of]) => [category, of.map(({ id }) => id)]),
    ),
    buttons: TARGETS.filter(({ whyNot }) => whyNot === null).map(buttonOf),
    secret_values_included: false,
  },
}))

function buttonOf({ id, label, category, secretRefs }: DeployTarget) {
  return {
    id: `deploy-${id}`,
    target: id,
    label,
    category,
    href: '/v1/cloud/deploy-plan',
    command: `svc cloud plan --target ${id}`,
    required_secret_refs: [...secretRefs],
  }
}

export const planDeploymentRoute = defineRoute({
  method: 'post',
  path: '/v1/cloud/deploy-plan',
  operationId: 'planDeployment',
  group: 'cloud',
  summary: 'Plan the deployment of an artifact',
  description:
    'The commands that deploy an artifact: pull, verify, what the target needs, serve, attest. They are for a POSIX shell, with every value quoted, and read secrets from variables. Nothing is started.',
  auth: 'key',
  scope: 'cloud:read',
  namespace: 'bounded',
  stores: 'bounded',
  body: DeployPlanBody,
  fieldCodes: { target: 'bad_target' },
  answers: { 200: envelope('The steps', DeployPlanAnswer) },
  errors: ['bad_target', 'deploy_target_not_available', 'not_found', ...ARCHIVE_ERRORS],
}).handle(async ({ op, services, body }) => {
  const target = targetOf(body.target)
  const { artifact_id: artifactId, name, region, storage } = body
  if (artifactId !== undefined) await openArchive(op, artifactId)
  if (target.whyNot !== null) {
    throw LEARN_ERRORS.deploy_target_not_available(`target: there is no plan for ${target.id}: ${target.whyNot}`)
  }
  const baseUrl = (body.base_url ?? services.publicUrl()).replace(/\/+$/, '')
  const plan = planDeployment({ target, artifactId: artifactId ?? null, name, baseUrl })
  return {
    status: 200,
    body: {
      spec: DEPLOY_SPEC,
      target: target.id,
      artifact_id: artifactId ?? null,
      artifact_url: artifactId === undefined ? null : `${baseUrl}/v1/artifacts/${artifactId}/download`,
      name,
      region,
      storage,
      required_secret_refs: [...target.secretRefs, HOME_REF, ...(artifactId === undefined ? [ARTIFACT_REF] : [])],
      steps: plan.steps.map((step) => ({ ...step })),
      rollback: [...plan.rollback],
      observability: [...plan.observability],
      secret_values_included: false,
    },
  }
})
