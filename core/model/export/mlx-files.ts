import { eachSafetensorsPart, type TensorToWrite } from '../files/safetensors/write.ts'
import { countElements } from '../files/tensors.ts'
import type { ExportMember } from './export-file.ts'
import type { ExportWeights } from './weights.ts'

const HALF_BYTES = 2

/**
 * Returns the weights in mlx-lm's form: `model.safetensors` in half precision under Hugging Face's names, which mlx-lm
 * uses unchanged for these families.
 */
export function mlxModelFiles(weights: ExportWeights): readonly ExportMember[] {
  const tensors = weights.names.map((name): TensorToWrite => ({
    name,
    dtype: 'F16',
    shape: weights.shape(name),
    data: () => weights.read(name),
  }))
  const parts = () => eachSafetensorsPart(tensors, { format: 'mlx' })
  const [header = new Uint8Array()] = parts().take(1)
  const dataBytes = tensors.reduce((sum, { shape }) => sum + countElements(shape) * HALF_BYTES, 0)
  return [{ name: 'model.safetensors', sizeBytes: header.length + dataBytes, pieces: parts }]
}
