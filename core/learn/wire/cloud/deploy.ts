import { z } from 'zod'
import { GivenArtifactId } from '../../../kernel/wire/ids.ts'
import { DEPLOY_SPEC, TARGET_IDS } from '../../plans/cloud/targets.ts'

/** Answer of `GET /v1/cloud/deploy-targets`. */
export const DeployTargetsAnswer = z
  .object({
    targets: z.array(
      z
        .object({
          id: z.enum(TARGET_IDS),
          label: z.string(),
          category: z.string(),
          status: z.enum(['available', 'not_available']),
          why_not: z.string().nullable(),
          command: z.string(),
          secret_refs: z.array(z.string()),
          strengths: z.array(z.string()),
        })
        .meta({ id: 'DeployTarget' }),
    ),
    by_category: z.record(z.string(), z.array(z.string())),
    buttons: z
      .array(
        z
          .object({
            id: z.string(),
            target: z.enum(TARGET_IDS),
            label: z.string(),
            category: z.string(),
            href: z.string(),
            command: z.string(),
            required_secret_refs: z.array(z.string()),
          })
          .meta({ id: 'DeployButton' }),
      )
      .meta({ description: 'Of the available targets' }),
    secret_values_included: z.literal(false),
  })
  .meta({ id: 'DeployTargets' })

function isWithoutCredentials(address: string): boolean {
  const url = URL.parse(address)
  return url === null || (url.username === '' && url.password === '')
}

/** Body of `POST /v1/cloud/deploy-plan`. */
export const DeployPlanBody = z
  .object({
    target: z.enum(TARGET_IDS).default('docker'),
    artifact_id: GivenArtifactId.optional(),
    region: z.string().min(1).max(64).default('iad'),
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, { error: 'must be letters, digits, dots, dashes or underscores' })
      .default('svc-app'),
    base_url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .refine(isWithoutCredentials, { error: 'must not hold a user name or a password: commands show it' })
      .optional()
      .meta({
        description: 'The address of this service; the public one when absent',
        example: 'https://svc.example.com',
      }),
    storage: z.enum(['customer-managed', 'service']).default('customer-managed'),
  })
  .meta({ id: 'DeployPlanRequest', example: { target: 'docker', name: 'ticket-router' } })

/** Answer of `POST /v1/cloud/deploy-plan`. */
export const DeployPlanAnswer = z
  .object({
    spec: z.literal(DEPLOY_SPEC),
    target: z.enum(TARGET_IDS),
    artifact_id: z.string().nullable(),
    artifact_url: z.string().nullable(),
    name: z.string(),
    region: z.string(),
    storage: z.string(),
    required_secret_refs: z.array(z.string()),
    steps: z.array(z.object({ id: z.string(), label: z.string(), command: z.string() }).meta({ id: 'DeployStep' })),
    rollback: z.array(z.string()),
    observability: z.array(z.string()),
    secret_values_included: z.literal(false),
  })
  .meta({ id: 'DeployPlan' })
