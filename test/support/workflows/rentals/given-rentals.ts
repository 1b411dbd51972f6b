import { LANES, type Lane } from '../../../../core/compile/stages/rentals/lanes.ts'
import { usualMachine } from '../../../../core/compile/stages/rentals/providers/open-provider.ts'
import type { LaneSettings, RentalSettings } from '../../../../core/compile/stages/rentals/settings.ts'

/** Words in the alphabet of the small bases, in both orders. */
export const SWAPPED_WORDS = ['red', 'old', 'small', 'good', 'odd', 'warm'].flatMap((first) =>
  ['hat', 'cup', 'desk', 'pen', 'lamp', 'rug'].map((second) => ({
    input: `${first} ${second}`,
    output: `${second} ${first}`,
  })),
)

/** Settings with one lane that the operator has a key for; the address is read when a provider is opened. */
export function rentalSettings(of: {
  readonly lane: Lane
  readonly key: string
  readonly usdPerHour: number
  readonly url: () => string
}): RentalSettings {
  const lane = (id: Lane): LaneSettings => ({
    apiKey: id === of.lane ? of.key : undefined,
    get baseUrl() {
      return of.url()
    },
    machine: usualMachine(id),
    usdPerHour: of.usdPerHour,
    region: undefined,
    sshKey: undefined,
  })
  const [pods, serverless, vm, market] = LANES.map(lane)
  if (pods === undefined || serverless === undefined || vm === undefined || market === undefined) {
    throw new Error('there are four lanes')
  }
  return {
    prefix: 'svc',
    image: 'registry.example/svc-trainer:1',
    lanes: { gpu_pods: pods, gpu_serverless: serverless, gpu_vm: vm, gpu_market: market },
  }
}
