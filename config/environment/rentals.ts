import { z } from 'zod'
import { usualMachine } from '../../core/compile/stages/rentals/providers/open-provider.ts'
import { USUAL_USD_PER_HOUR } from '../../core/compile/stages/rentals/quote/reference.ts'
import type { Lane } from '../../core/compile/stages/rentals/lanes.ts'
import type { LaneSettings, RentalSettings } from '../../core/compile/stages/rentals/settings.ts'

const Key = z
  .string()
  .regex(/^[\x21-\x7e]+$/, { error: 'must be printable ASCII without spaces' })
  .optional()
const BaseUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
    error: 'must be an address that starts with http:// or https://',
  })
  .optional()
const Word = z
  .string()
  .regex(/^[\w .:/-]{1,100}$/, { error: 'must be letters, digits, spaces and . : / _ -' })
  .optional()
const Usd = z.coerce.number({ error: 'must be a number of US dollars' }).positive().max(1000).optional()

/** The variables of rented machines, as part of the environment's schema. */
export const RENTAL_VARIABLES = {
  SVC_RENTAL_IMAGE: z
    .string()
    .regex(/^[\w./:@-]{1,300}$/, { error: 'must be the name of a container image' })
    .optional(),
  SVC_RENTAL_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,20}$/, { error: 'must be up to 21 lower-case letters, digits and -' })
    .default('svc'),
  SVC_GPU_PODS_KEY: Key,
  SVC_GPU_PODS_BASE: BaseUrl,
  SVC_GPU_PODS_MACHINE: Word,
  SVC_GPU_PODS_USD_HOUR: Usd,
  SVC_GPU_SERVERLESS_KEY: Key,
  SVC_GPU_SERVERLESS_BASE: BaseUrl,
  SVC_GPU_SERVERLESS_MACHINE: Word,
  SVC_GPU_SERVERLESS_USD_HOUR: Usd,
  SVC_GPU_VM_KEY: Key,
  SVC_GPU_VM_BASE: BaseUrl,
  SVC_GPU_VM_MACHINE: Word,
  SVC_GPU_VM_USD_HOUR: Usd,
  SVC_GPU_VM_REGION: Word,
  SVC_GPU_VM_SSH_KEY: Word,
  SVC_GPU_MARKET_KEY: Key,
  SVC_GPU_MARKET_BASE: BaseUrl,
  SVC_GPU_MARKET_MACHINE: Word,
  SVC_GPU_MARKET_USD_HOUR: Usd,
}

type RentalVariables = z.output<z.ZodObject<typeof RENTAL_VARIABLES>>

/** The settings of rented machines. Without an image or a key there are none to rent, and compiles that ask for one say so. */
export function readRentals(variables: RentalVariables): RentalSettings {
  const lane = (
    id: Lane,
    given: {
      readonly key: string | undefined
      readonly base: string | undefined
      readonly machine: string | undefined
      readonly usd: number | undefined
    },
  ): LaneSettings => ({
    apiKey: given.key,
    baseUrl: given.base?.replace(/\/+$/, ''),
    machine: given.machine ?? usualMachine(id),
    usdPerHour: given.usd ?? USUAL_USD_PER_HOUR[id],
    region: id === 'gpu_vm' ? variables.SVC_GPU_VM_REGION : undefined,
    sshKey: id === 'gpu_vm' ? variables.SVC_GPU_VM_SSH_KEY : undefined,
  })
  return {
    prefix: variables.SVC_RENTAL_PREFIX,
    image: variables.SVC_RENTAL_IMAGE,
    lanes: {
      gpu_pods: lane('gpu_pods', {
        key: variables.SVC_GPU_PODS_KEY,
        base: variables.SVC_GPU_PODS_BASE,
        machine: variables.SVC_GPU_PODS_MACHINE,
        usd: variables.SVC_GPU_PODS_USD_HOUR,
      }),
      gpu_serverless: lane('gpu_serverless', {
        key: variables.SVC_GPU_SERVERLESS_KEY,
        base: variables.SVC_GPU_SERVERLESS_BASE,
        machine: variables.SVC_GPU_SERVERLESS_MACHINE,
        usd: variables.SVC_GPU_SERVERLESS_USD_HOUR,
      }),
      gpu_vm: lane('gpu_vm', {
        key: variables.SVC_GPU_VM_KEY,
        base: variables.SVC_GPU_VM_BASE,
        machine: variables.SVC_GPU_VM_MACHINE,
        usd: variables.SVC_GPU_VM_USD_HOUR,
      }),
      gpu_market: lane('gpu_market', {
        key: variables.SVC_GPU_MARKET_KEY,
        base: variables.SVC_GPU_MARKET_BASE,
        machine: variables.SVC_GPU_MARKET_MACHINE,
        usd: variables.SVC_GPU_MARKET_USD_HOUR,
      }),
    },
  }
}
