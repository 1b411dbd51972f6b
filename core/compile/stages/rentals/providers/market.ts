import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import { ProviderFault, type Machine, type PodProvider } from '../pod-provider.ts'
import type { AdapterOptions, ProviderAdapter } from './provider-adapter.ts'
import { amountOf, memberOf, objectsIn, openProviderHttp, textOf } from './provider-http.ts'

/** Machines of Vast.ai's marketplace, over its REST API (https://docs.vast.ai/api). */
export const MARKET_ADAPTER: ProviderAdapter = {
  alias: 'vast',
  machine: 'RTX 4090',
  baseUrl: 'https://console.vast.ai/api/v0',
  open: (options) => openMarket(options),
}

/** Offers that are tried for one order: another buyer may be faster. */
const OFFERS = 3
/** States in which a machine is not charged for any more. */
const OVER: ReadonlySet<Json | undefined> = new Set(['destroyed', 'exited_destroyed'])

function openMarket({ apiKey, baseUrl, machine }: AdapterOptions): PodProvider {
  const http = openProviderHttp(baseUrl, { authorization: `Bearer ${apiKey}` })

  async function offers(diskGb: number, signal: AbortSignal): Promise<readonly JsonObject[]> {
    const body: JsonObject = {
      verified: { eq: true },
      external: { eq: false },
      rentable: { eq: true },
      rented: { eq: false },
      gpu_name: { eq: machine },
      num_gpus: { eq: 1 },
      order: [['dph_total', 'asc']],
      type: 'on-demand',
      limit: OFFERS,
      allocated_storage: diskGb,
    }
    const reply = await http.call({ method: 'POST', path: '/bundles/', body }, signal)
    if (reply.status !== 200) throw new ProviderFault('refused', `the marketplace answered ${reply.status}`)
    return objectsIn(reply.body, 'offers')
  }

  return {
    lane: 'gpu_market',
    async rent(order, signal) {
      for (const offer of await offers(order.diskGb, signal)) {
        const ask = textOf(offer['id'])
        if (ask === null) continue
        const body: JsonObject = {
          client_id: 'me',
          image: order.image,
          env: { ...order.environment },
          disk: order.diskGb,
          label: order.name,
          runtype: 'args',
          args: [...order.command],
          cancel_unavail: true,
        }
        const path = `/asks/${encodeURIComponent(ask)}/`
        const reply = await http.call({ method: 'PUT', path, body }, signal)
        const id = textOf(memberOf(reply.body, 'new_contract'))
        if (reply.status === 200 && id !== null) {
          return { id, name: order.name, usdPerHour: amountOf(offer['dph_total']) }
        }
        if (reply.status !== 400 && reply.status !== 404 && reply.status !== 410) {
          throw new ProviderFault('refused', `the marketplace refused the order with ${reply.status}`)
        }
      }
      throw new ProviderFault('no_capacity', 'the marketplace has no such machine now')
    },
    async list(signal) {
      const reply = await http.call({ method: 'GET', path: '/instances/?owner=me' }, signal)
      if (reply.status !== 200) throw new ProviderFault('refused', `the marketplace answered ${reply.status}`)
      return objectsIn(reply.body, 'instances').flatMap((each) =>
        OVER.has(each['actual_status']) ? [] : machineOf(each),
      )
    },
    async end(id, signal) {
      const path = `/instances/${encodeURIComponent(id)}/`
      const { status } = await http.call({ method: 'DELETE', path, body: {} }, signal)
      if (status !== 200 && status !== 404) throw new ProviderFault('refused', `the marketplace answered ${status}`)
    },
    close: async () => await http.close(),
  }
}

function machineOf(instance: JsonObject): readonly Machine[] {
  const id = textOf(instance['id'])
  if (id === null) return []
  return [{ id, name: textOf(instance['label']) ?? '', usdPerHour: amountOf(instance['dph_total']) }]
}
