import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import { ProviderFault, type Machine, type MachineOrder, type PodProvider } from '../pod-provider.ts'
import type { AdapterOptions, ProviderAdapter } from './provider-adapter.ts'
import { amountOf, memberOf, objectsIn, openProviderHttp, textOf, type ProviderCall } from './provider-http.ts'

/** Virtual machines of Lambda, over its Cloud API (https://docs.lambda.ai/api/cloud). */
export const VM_ADAPTER: ProviderAdapter = {
  alias: 'lambda',
  machine: 'gpu_1x_a10',
  baseUrl: 'https://cloud.lambda.ai/api/v1',
  open: (options) => openVms(options),
}

/** States in which a machine is not charged for any more. */
const OVER: ReadonlySet<Json | undefined> = new Set(['terminated', 'terminating', 'preempted'])

function openVms({ apiKey, baseUrl, machine, region, sshKey }: AdapterOptions): PodProvider {
  const http = openProviderHttp(baseUrl, { authorization: `Bearer ${apiKey}` })

  /** Returns the data of an answer; undefined for a call about an unknown machine. Throws `ProviderFault`. */
  async function ask(call: ProviderCall, signal: AbortSignal): Promise<Json | undefined> {
    const { status, body } = await http.call(call, signal)
    if (status < 300) return memberOf(body, 'data')
    const error = memberOf(body, 'error')
    const code = textOf(memberOf(error, 'code')) ?? String(status)
    if (code === 'global/object-does-not-exist') return undefined
    const kind = code.endsWith('/insufficient-capacity') ? 'no_capacity' : 'refused'
    throw new ProviderFault(kind, `the provider of virtual machines refused the call: ${code}`)
  }

  return {
    lane: 'gpu_vm',
    async rent(order, signal) {
      const body: JsonObject = {
        region_name: region ?? 'us-east-1',
        instance_type_name: machine,
        ssh_key_names: sshKey === undefined ? [] : [sshKey],
        file_system_names: [],
        quantity: 1,
        name: order.name,
        user_data: cloudConfig(order),
      }
      const data = await ask({ method: 'POST', path: '/instance-operations/launch', body }, signal)
      const ids = memberOf(data, 'instance_ids')
      const id = Array.isArray(ids) ? textOf(ids[0]) : null
      if (id === null) throw new ProviderFault('unclear', 'the provider of virtual machines named no machine')
      return { id, name: order.name, usdPerHour: null }
    },
    async list(signal) {
      const { status, body } = await http.call({ method: 'GET', path: '/instances' }, signal)
      if (status !== 200) throw new ProviderFault('refused', `the provider of virtual machines answered ${status}`)
      return objectsIn(body, 'data').flatMap((instance) => (OVER.has(instance['status']) ? [] : machineOf(instance)))
    },
    async end(id, signal) {
      await ask({ method: 'POST', path: '/instance-operations/terminate', body: { instance_ids: [id] } }, signal)
    },
    close: async () => await http.close(),
  }
}

function machineOf(instance: JsonObject): readonly Machine[] {
  const id = textOf(instance['id'])
  if (id === null) return []
  const cents = amountOf(memberOf(instance['instance_type'], 'price_cents_per_hour'))
  return [{ id, name: textOf(instance['name']) ?? '', usdPerHour: cents === null ? null : cents / 100 }]
}

/** Commands of the first boot (https://cloudinit.readthedocs.io): the machine runs the container, then goes off. */
function cloudConfig({ image, command, environment }: MachineOrder): string {
  const variables = Object.entries(environment).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const run = ['docker', 'run', '--rm', '--gpus', 'all', ...variables, image, ...command]
  // JSON is YAML: every text is in quotes, so that none is read as anything else.
  return `#cloud-config\nruncmd:\n  - ${JSON.stringify(run)}\n`
}
