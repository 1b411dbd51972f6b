/** Export formats of an artifact. */
export const EXPORT_TARGETS = ['gguf', 'awq', 'exl2', 'mlx', 'onnx', 'tflite', 'coreml', 'openvino'] as const
/** One of them. */
export type ExportTarget = (typeof EXPORT_TARGETS)[number]

/** The formats that are written here, with how numbers may be stored in each, the usual way first. */
export const WRITTEN_TARGETS = {
  gguf: ['F16', 'F32', 'Q8_0'],
  onnx: ['fp32'],
  mlx: ['fp16'],
} as const
/** One of them. */
export type WrittenTarget = keyof typeof WRITTEN_TARGETS

/** Which weights are written: base and adapter as one model, the base alone, or the adapter alone. */
export const EXPORT_PARTS = ['merged', 'base', 'adapter'] as const
/** One of them. */
export type ExportPart = (typeof EXPORT_PARTS)[number]

/** True when files of the format are written here; the others are planned. */
export function isWrittenTarget(target: string): target is WrittenTarget {
  return Object.hasOwn(WRITTEN_TARGETS, target)
}

/** A checked choice of the export. */
export type ExportChoice =
  | { readonly target: 'gguf'; readonly quant: (typeof WRITTEN_TARGETS)['gguf'][number]; readonly part: ExportPart }
  | { readonly target: 'onnx'; readonly quant: 'fp32'; readonly part: Exclude<ExportPart, 'adapter'> }
  | { readonly target: 'mlx'; readonly quant: 'fp16'; readonly part: Exclude<ExportPart, 'adapter'> }

/**
 * The choice that names make; without a quant the usual one. Undefined for a combination that is not written: a quant of
 * another format, an adapter alone in another format than GGUF or quantised.
 */
export function chooseExport(target: WrittenTarget, quant: string | null, part: ExportPart): ExportChoice | undefined {
  const wanted = quant?.toLowerCase() ?? null
  switch (target) {
    case 'gguf': {
      const found = WRITTEN_TARGETS.gguf.find((each) => wanted === null || each.toLowerCase() === wanted)
      if (found === undefined || (part === 'adapter' && found === 'Q8_0')) return undefined
      return { target, quant: found, part }
    }
    case 'onnx':
      return part === 'adapter' || (wanted !== null && wanted !== 'fp32') ? undefined : { target, quant: 'fp32', part }
    case 'mlx':
      return part === 'adapter' || (wanted !== null && wanted !== 'fp16') ? undefined : { target, quant: 'fp16', part }
  }
}
