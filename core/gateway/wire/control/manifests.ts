import { z } from 'zod'
import { JsonValue } from '../../../kernel/wire/values.ts'

/** Body of `POST /v1/account/api-control-center/adapter-manifests/validate`. */
export const ManifestBody = z
  .looseObject({ adapter_manifest: JsonValue.optional(), manifest: JsonValue.optional() })
  .meta({ description: 'The manifest, as it is or under `manifest`' })

/** Answer of `POST /v1/account/api-control-center/adapter-manifests/validate`. */
export const ValidateAdapterManifestAnswer = z.object({ adapter_manifest_validation: JsonValue })
