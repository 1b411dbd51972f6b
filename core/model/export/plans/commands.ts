import type { ExportTarget } from '../targets.ts'
import { isGgufLevel, needsImportanceMatrix } from './gguf-mixes.ts'

/** Commands that make a format from the base with the adapter merged in. */
export interface Recipe {
  /** Shell commands in their order; `model/` is the unpacked `mlx` export, which is a Hugging Face folder. */
  readonly commands: readonly string[]
  readonly tools: string
  readonly requiresGpu: boolean
  readonly hardware: string
  /** Purpose of calibration texts; null when none are needed. */
  readonly calibration: string | null
  readonly runtimes: readonly string[]
}

const FOLDER = 'model'

/** The commands for a format and level that is not written here. */
export function recipeOf(target: ExportTarget, level: string, contextLength: number): Recipe {
  switch (target) {
    case 'gguf':
      return ggufRecipe(level)
    case 'awq':
      return {
        commands: [python(awqScript(level))],
        tools: 'Python with autoawq and transformers',
        requiresGpu: true,
        hardware: 'an NVIDIA GPU of compute capability 7.5 or newer that holds one decoder layer in half precision',
        calibration: '128 samples of text like those that the model will see; the default is a set of web texts',
        runtimes: ['vllm', 'tgi'],
      }
    case 'exl2':
      return {
        commands: [`python convert.py -i ${FOLDER} -o work -cf ${FOLDER}-exl2 -b ${level} -hb 6`],
        tools: 'a checkout of exllamav2 with its requirements',
        requiresGpu: true,
        hardware: 'an NVIDIA GPU; about 8 GB of its memory and 16 GB of main memory for a base of 7 billion parameters',
        calibration: 'the set that exllamav2 brings, or a Parquet file given by -c',
        runtimes: ['exllamav2'],
      }
    case 'mlx':
      return {
        commands: [`mlx_lm.convert --hf-path ${FOLDER} --mlx-path ${FOLDER}-mlx ${mlxFlags(level)}`],
        tools: 'Python with mlx-lm',
        requiresGpu: false,
        hardware: 'Apple silicon with memory for the weights in half precision',
        calibration: null,
        runtimes: ['mlx-lm'],
      }
    case 'onnx':
      return {
        commands:
          level === 'fp16'
            ? [
                `optimum-cli export onnx --model ${FOLDER} --task text-generation-with-past --dtype fp16 --device cuda ${FOLDER}-onnx`,
              ]
            : [`optimum-cli onnxruntime quantize --onnx_model onnx --avx512 -o ${FOLDER}-onnx-int8`],
        tools:
          level === 'fp16'
            ? 'Python with optimum[exporters]'
            : 'Python with optimum[onnxruntime]; onnx/ is the unpacked onnx export',
        requiresGpu: level === 'fp16',
        hardware: level === 'fp16' ? 'an NVIDIA GPU' : 'any processor with memory for the weights in float32',
        calibration: null,
        runtimes: ['onnxruntime'],
      }
    case 'tflite':
      return {
        commands: [python(tfliteScript(level, Math.min(contextLength, 1024)))],
        tools: 'Python on Linux with ai-edge-torch and transformers',
        requiresGpu: false,
        hardware: 'main memory for about three times the weights in float32',
        calibration: null,
        runtimes: ['LiteRT'],
      }
    case 'coreml':
      return {
        commands: [python(coremlScript(level, Math.min(contextLength, 1024)))],
        tools: 'Python with coremltools, torch and transformers',
        requiresGpu: false,
        hardware:
          'macOS 15 to try the result; the conversion runs on Linux too; main memory for about three times the weights in float32',
        calibration: null,
        runtimes: ['Core ML'],
      }
    case 'openvino':
      return {
        commands: [
          `optimum-cli export openvino --model ${FOLDER} --task text-generation-with-past --weight-format ${level}${level === 'int4' ? ' --group-size 128 --ratio 1.0' : ''} ${FOLDER}-openvino`,
        ],
        tools: 'Python with optimum-intel[openvino]',
        requiresGpu: false,
        hardware: 'any x86 processor with memory for the weights in float32',
        calibration: null,
        runtimes: ['OpenVINO', 'openvino-genai'],
      }
  }
}

function ggufRecipe(level: string): Recipe {
  const needsMatrix = isGgufLevel(level) && needsImportanceMatrix(level)
  return {
    commands: needsMatrix
      ? [
          'llama-imatrix -m model-f16.gguf -f calibration.txt -o imatrix.dat',
          `llama-quantize --imatrix imatrix.dat model-f16.gguf model-${level}.gguf ${level}`,
        ]
      : [`llama-quantize model-f16.gguf model-${level}.gguf ${level}`],
    tools: 'llama.cpp; model-f16.gguf is the gguf export in F16',
    requiresGpu: false,
    hardware: 'any processor with memory for the weights in half precision',
    calibration: needsMatrix
      ? 'calibration.txt: some hundred kilobytes of text like that which the model will see'
      : null,
    runtimes: ['llama.cpp'],
  }
}

function mlxFlags(level: string): string {
  if (level === 'mixed_4_6') return '-q --quant-predicate mixed_4_6'
  return `-q --q-bits ${level === '8bit' ? 8 : 4} --q-group-size 64`
}

function python(script: readonly string[]): string {
  return ["python - <<'PY'", ...script, 'PY'].join('\n')
}

function awqScript(level: string): readonly string[] {
  const group = /g(\d+)$/.exec(level)?.[1] ?? '128'
  return [
    'from awq import AutoAWQForCausalLM',
    'from transformers import AutoTokenizer',
    `model = AutoAWQForCausalLM.from_pretrained('${FOLDER}')`,
    `tokenizer = AutoTokenizer.from_pretrained('${FOLDER}')`,
    `model.quantize(tokenizer, quant_config={'zero_point': True, 'q_group_size': ${group}, 'w_bit': 4, 'version': 'GEMM'})`,
    `model.save_quantized('${FOLDER}-awq')`,
    `tokenizer.save_pretrained('${FOLDER}-awq')`,
  ]
}

/** Code that returns the logits of a whole sequence of fixed length, without a cache, as tracing converters require. */
function wrapper(): readonly string[] {
  return [
    'import torch',
    'from transformers import AutoModelForCausalLM',
    'class Logits(torch.nn.Module):',
    '    def __init__(self, model):',
    '        super().__init__()',
    '        self.model = model',
    '    def forward(self, input_ids):',
    '        return self.model(input_ids, use_cache=False).logits',
    `model = Logits(AutoModelForCausalLM.from_pretrained('${FOLDER}', torch_dtype=torch.float32)).eval()`,
  ]
}

function tfliteScript(level: string, length: number): readonly string[] {
  const config = level === 'int8' ? ', quant_config=quant_recipes.full_int8_dynamic_recipe()' : ''
  return [
    ...wrapper(),
    'import ai_edge_torch',
    ...(level === 'int8' ? ['from ai_edge_torch.generative.quantize import quant_recipes'] : []),
    `sample = (torch.zeros(1, ${length}, dtype=torch.long),)`,
    `ai_edge_torch.convert(model, sample${config}).export('model.tflite')`,
  ]
}

function coremlScript(level: string, length: number): readonly string[] {
  const granularity = level === 'int4' ? ", granularity='per_block', block_size=32" : ''
  return [
    ...wrapper(),
    'import coremltools as ct, numpy as np',
    'import coremltools.optimize.coreml as cto',
    `traced = torch.jit.trace(model, torch.zeros(1, ${length}, dtype=torch.long))`,
    `package = ct.convert(traced, inputs=[ct.TensorType('input_ids', shape=(1, ${length}), dtype=np.int32)], minimum_deployment_target=ct.target.macOS15, compute_precision=ct.precision.FLOAT16)`,
    ...(level === 'fp16'
      ? []
      : [
          `config = cto.OptimizationConfig(global_config=cto.OpLinearQuantizerConfig(mode='linear_symmetric', dtype='${level}'${granularity}))`,
          'package = cto.linear_quantize_weights(package, config=config)',
        ]),
    "package.save('model.mlpackage')",
  ]
}
