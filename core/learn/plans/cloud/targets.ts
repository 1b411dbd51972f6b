/** Name and version of the plan's form. */
export const DEPLOY_SPEC = 'svc-deploy-plan/1'

/** Ids of the places that an artifact can be deployed to. */
export const TARGET_IDS = [
  'docker',
  'ssh',
  'fly',
  'aws-nitro',
  'gcp-cvm',
  'azure-cvm',
  'edge_workers',
  'edge_functions',
  'deno-deploy',
  'gpu_pods',
  'gpu_vm',
  'finetune_managed',
  'wafer_inference',
] as const
/** Id of a place that an artifact can be deployed to. */
export type TargetId = (typeof TARGET_IDS)[number]

/** A place that an artifact can be deployed to. */
export interface DeployTarget {
  readonly id: TargetId
  readonly label: string
  readonly category: string
  /** The program, beside `svc`, that the plan's commands call. */
  readonly tool: string
  /** Variables that the commands read. */
  readonly secretRefs: readonly string[]
  readonly strengths: readonly string[]
  /** Why there is no plan for it; null where there is one. */
  readonly whyNot: string | null
}

const KEY = 'env:SVC_API_KEY'
const ON_HOST = { tool: 'ssh', secretRefs: [KEY, 'env:DEPLOY_HOST'], whyNot: null } as const
const NO_RUNTIME = 'no export of an artifact runs on this runtime'
const NO_IMAGE = 'this service publishes no image that the target could start'

/** The targets (reference: GET /v1/cloud/deploy-targets). */
export const TARGETS: readonly DeployTarget[] = [
  {
    id: 'docker',
    label: 'A container',
    category: 'self_hosted',
    tool: 'docker',
    secretRefs: [KEY],
    strengths: ['runs without a network', 'rows stay on this machine'],
    whyNot: null,
  },
  { ...ON_HOST, id: 'ssh', label: 'Own machine', category: 'self_hosted', strengths: ['rows stay on own machines'] },
  target('fly', 'Managed machines', 'managed_vm', 'fly', NO_IMAGE),
  target('aws-nitro', 'Nitro enclave', 'confidential_compute', 'nitro-cli', NO_IMAGE),
  {
    ...ON_HOST,
    id: 'gcp-cvm',
    label: 'Confidential machine (SEV-SNP)',
    category: 'confidential_compute',
    strengths: ['memory is encrypted', 'its report can be verified here'],
  },
  {
    ...ON_HOST,
    id: 'azure-cvm',
    label: 'Confidential machine (SEV-SNP)',
    category: 'confidential_compute',
    strengths: ['memory is encrypted', 'its report can be verified here'],
  },
  target('edge_workers', 'Workers at the edge', 'edge', 'wrangler', NO_RUNTIME),
  target('edge_functions', 'Functions at the edge', 'edge', 'vercel', NO_RUNTIME),
  target('deno-deploy', 'Deno at the edge', 'edge', 'deployctl', NO_RUNTIME),
  target('gpu_pods', 'Rented pod', 'gpu_cloud', 'svc', NO_IMAGE),
  { ...ON_HOST, id: 'gpu_vm', label: 'Rented machine', category: 'gpu_cloud', strengths: ['a machine by the hour'] },
  target('finetune_managed', 'Managed fits', 'managed_training', 'svc', 'a managed fit takes rows and no artifact'),
  target(
    'wafer_inference',
    'Managed inference',
    'managed_inference',
    'svc',
    'it serves its own models and no artifact',
  ),
]

/** Returns a target. */
export function targetOf(id: TargetId): DeployTarget {
  const found = TARGETS.find((each) => each.id === id)
  if (found === undefined) throw new Error(`no target ${id}`)
  return found
}

function target(id: TargetId, label: string, category: string, tool: string, whyNot: string): DeployTarget {
  return { id, label, category, tool, secretRefs: [], strengths: [], whyNot }
}
