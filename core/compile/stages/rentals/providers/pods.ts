import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import { ProviderFault, type Machine, type PodProvider } from '../pod-provider.ts'
import { amountOf, memberOf, objectsIn, openProviderHttp, textOf } from './provider-http.ts'
import type { AdapterOptions, ProviderAdapter } from './provider-adapter.ts'

const DEPLOY = `mutation deploy($input: PodFindAndDeployOnDemandInput) {
  podFindAndDeployOnDemand(input: $input) { id name costPerHr desiredStatus }
}`
const PODS = 'query pods { myself { pods { id name costPerHr desiredStatus } } }'
const TERMINATE = 'mutation terminate($input: PodTerminateInput!) { podTerminate(input: $input) }'

/** Words of the provider for an order that it has no machine for. */
const NO_CAPACITY = /no longer any instances available|not have the resources|no instances/i
/** Its words for a machine that it does not know. */
const UNKNOWN = /not found|does not exist/i

/** Pods of RunPod, over its GraphQL API (https://docs.runpod.io/sdks/graphql/manage-pods). */
export const POD_ADAPTER: ProviderAdapter = {
  alias: 'runpod',
  machine: 'NVIDIA A40',
  baseUrl: 'https://api.runpod.io',
  open: (options) => openPods(options),
}

function openPods({ apiKey, baseUrl, machine }: AdapterOptions): PodProvider {
  const http = openProviderHttp(baseUrl, { authorization: `Bearer ${apiKey}` })

  async function ask(query: string, variables: JsonObject, signal: AbortSignal): Promise<Json | undefined> {
    const { status, body } = await http.call({ method: 'POST', path: '/graphql', body: { query, variables } }, signal)
    const [error] = objectsIn(body, 'errors')
    if (error !== undefined) {
      const message = textOf(error['message']) ?? 'an error without a text'
      const kind = NO_CAPACITY.test(message) ? 'no_capacity' : 'refused'
      throw new ProviderFault(kind, `the provider of pods refused the call: ${message}`)
    }
    const data = memberOf(body, 'data')
    if (status !== 200 || data === undefined) {
      throw new ProviderFault('refused', `the provider of pods answered ${status}`)
    }
    return data
  }

  return {
    lane: 'gpu_pods',
    async rent(order, signal) {
      const input = {
        cloudType: 'ALL',
        gpuCount: 1,
        gpuTypeId: machine,
        name: order.name,
        imageName: order.image,
        dockerArgs: order.command.join(' '),
        containerDiskInGb: order.diskGb,
        volumeInGb: 0,
        env: Object.entries(order.environment).map(([key, value]) => ({ key, value })),
      }
      const data = await ask(DEPLOY, { input }, signal)
      const rented = machineOf(memberOf(data, 'podFindAndDeployOnDemand'))
      if (rented === null) throw new ProviderFault('no_capacity', 'the provider of pods has no such machine now')
      return rented
    },
    async list(signal) {
      const myself = memberOf(await ask(PODS, {}, signal), 'myself')
      return objectsIn(myself, 'pods').flatMap((pod) => {
        const machine = machineOf(pod)
        return machine === null || pod['desiredStatus'] === 'TERMINATED' ? [] : [machine]
      })
    },
    async end(podId, signal) {
      try {
        await ask(TERMINATE, { input: { podId } }, signal)
      } catch (error) {
        if (error instanceof ProviderFault && error.kind === 'refused' && UNKNOWN.test(error.message)) return
        throw error
      }
    },
    close: async () => await http.close(),
  }
}

function machineOf(pod: Json | undefined): Machine | null {
  const id = textOf(memberOf(pod, 'id'))
  if (id === null) return null
  return { id, name: textOf(memberOf(pod, 'name')) ?? '', usdPerHour: amountOf(memberOf(pod, 'costPerHr')) }
}
