import { isLane, LANES, type Lane } from '../lanes.ts'
import type { PodProvider } from '../pod-provider.ts'
import type { LaneSettings } from '../settings.ts'
import { CONTAINER_ADAPTER } from './containers/containers.ts'
import { MARKET_ADAPTER } from './market.ts'
import { POD_ADAPTER } from './pods.ts'
import type { ProviderAdapter } from './provider-adapter.ts'
import { VM_ADAPTER } from './vms.ts'

const ADAPTERS: Readonly<Record<Lane, ProviderAdapter>> = {
  gpu_pods: POD_ADAPTER,
  gpu_serverless: CONTAINER_ADAPTER,
  gpu_vm: VM_ADAPTER,
  gpu_market: MARKET_ADAPTER,
}

/** Returns the lane that a caller names, by its id or by its provider's name; undefined for another text. */
export function laneNamed(name: string): Lane | undefined {
  return isLane(name) ? name : LANES.find((lane) => ADAPTERS[lane].alias === name)
}

/** The machine type of a lane where the operator names none. */
export function usualMachine(lane: Lane): string {
  return ADAPTERS[lane].machine
}

/** Opens the provider of a lane with a key. No connection is made yet. */
export function openProvider(lane: Lane, settings: LaneSettings, apiKey: string): PodProvider {
  const adapter = ADAPTERS[lane]
  const { machine, region, sshKey, baseUrl = adapter.baseUrl } = settings
  return adapter.open({ apiKey, baseUrl: baseUrl.replace(/\/+$/, ''), machine, region, sshKey })
}
