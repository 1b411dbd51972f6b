/** Kinds of providers that rent machines with a GPU, whose keys customers may store. */
export const MACHINE_PROVIDERS = [
  { id: 'gpu_pods', label: 'GPU pods' },
  { id: 'gpu_serverless', label: 'Serverless GPU containers' },
  { id: 'gpu_vm', label: 'GPU virtual machines' },
  { id: 'gpu_market', label: 'GPU marketplace' },
] as const

/** The id of one of them. */
export type MachineProviderId = (typeof MACHINE_PROVIDERS)[number]['id']
