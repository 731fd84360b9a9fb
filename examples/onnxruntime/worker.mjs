// SPDX-License-Identifier: MIT
// ONNX Runtime's attention on attncert's cases, as a worker of attncert judge (scripts/peers-attention):
//   attncert judge /tmp/cases --exec "node examples/onnxruntime/worker.mjs attention"
// attention is Attention of ONNX, opset 23; multihead is MultiHeadAttention of com.microsoft. Both take f32 and one
// tensor that is added to the scores, into which all masks are made here. With "time" or "time-causal" in place of a
// folder it prints the milliseconds of processor time of 12 heads of 64 and 1,024 tokens on one thread
// (bench/onnxruntime_attention.cpp).
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import process from 'node:process';
import {fileURLToPath} from 'node:url';
import {modelOf} from './model.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const ort = createRequire(path.join(here, '../../build/onnxruntime/'))('onnxruntime-node');

class Refused extends Error {}

// A safetensors file: tensors as {shape, numbers}, and the settings.
const read = (file) => {
  const all = fs.readFileSync(file), size = Number(all.readBigUInt64LE(0));
  const {__metadata__: settings = {}, ...header} = JSON.parse(all.subarray(8, 8 + size)), tensors = {};
  for (const [name, {dtype, shape, data_offsets: [from, to]}] of Object.entries(header)) {
    const bytes = new Uint8Array(all.subarray(8 + size + from, 8 + size + to));
    if (!['F32', 'BOOL', 'U8'].includes(dtype)) throw new Refused(`is of ${dtype}`);
    tensors[name] = {shape, numbers: dtype === 'F32' ? new Float32Array(bytes.buffer) : bytes};
  }
  return {...tensors, settings};
};

const write = (file, shape, numbers) => {
  const header = Buffer.from(JSON.stringify({o: {dtype: 'F32', shape, data_offsets: [0, numbers.byteLength]}}));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(header.length));
  const data = Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  fs.writeFileSync(`${file}.new`, Buffer.concat([size, header, data]));
  fs.renameSync(`${file}.new`, file);
};

// Of a mask or bias of all batches and heads, or of each.
const pairOf = ({shape: [batches, heads, queries, keys], numbers}, b, h, i, j) =>
  numbers[(((batches > 1 ? b : 0) * heads + (heads > 1 ? h : 0)) * queries + i) * keys + j];

// What is added to the scores of batch, head, query, key: null where nothing is.
const addedTo = (given) => {
  const {q, k, bias, mask, lengths, settings} = given;
  const [batches, heads, queries] = q.shape, keys = k.shape[2], window = Number(settings.window ?? 0),
        after = Number(settings['window-after'] ?? 0);
  if (!settings.causal && !window && !after && !bias && !mask && !lengths) return null;
  const added = new Float32Array(batches * heads * queries * keys);
  let n = 0;
  for (let b = 0; b < batches; ++b)
    for (let h = 0; h < heads; ++h)
      for (let i = 0; i < queries; ++i)
        for (let j = 0; j < keys; ++j, ++n) {
          const diagonal = i + (settings.causal === 'top-left' ? 0 : keys - queries);
          const kept = (!settings.causal || j <= diagonal) && (!window || j > diagonal - window) &&
                       (!after || j < diagonal + after) && (!mask || pairOf(mask, b, h, i, j)) &&
                       (!lengths || j < lengths.numbers[b]);
          added[n] = kept ? (bias ? pairOf(bias, b, h, i, j) : 0) : -Infinity;
        }
  return {shape: [batches, heads, queries, keys], numbers: added};
};

// From batch, heads, length, size to batch, length, heads * size, and back.
const heads_last = ({shape: [B, H, L, d], numbers}, back = false) => {
  const moved = new Float32Array(numbers.length);
  for (let b = 0; b < B; ++b)
    for (let h = 0; h < H; ++h)
      for (let i = 0; i < L; ++i)
        for (let e = 0; e < d; ++e) {
          const first = ((b * H + h) * L + i) * d + e, last = ((b * L + i) * H + h) * d + e;
          if (back) moved[first] = numbers[last];
          else moved[last] = numbers[first];
        }
  return {shape: [B, L, H * d], numbers: moved};
};

const attention = (given) => {
  const {q, k, v, settings} = given, [B, H, Lq] = q.shape, softcap = Number(settings.softcap ?? 0);
  const attributes = [['scale', Number(settings.scale), 'float']];
  if (softcap > 0) attributes.push(['softcap', softcap, 'float']);
  return {operator: 'Attention', domain: '', version: 23, inputs: {q, k, v, added: addedTo(given)},
          order: ['q', 'k', 'v', 'added'], output: [B, H, Lq, v.shape[3]], attributes};
};

const multihead = (given) => {
  const {q, k, v, settings} = given, [B, H, Lq] = q.shape, size = v.shape[3];
  if (settings.softcap || k.shape[1] !== H) throw new Refused('softcap, or heads that share keys');
  return {operator: 'MultiHeadAttention', domain: 'com.microsoft', version: 1,
          inputs: {q: heads_last(q), k: heads_last(k), v: heads_last(v), added: addedTo(given)},
          order: ['q', 'k', 'v', null, null, 'added'], output: [B, Lq, H * size],
          attributes: [['num_heads', H, 'int'], ['scale', Number(settings.scale), 'float']],
          heads_first: (numbers) => heads_last({shape: [B, H, Lq, size], numbers}, true).numbers};
};

const forms = {attention, multihead};

const prepared = async (call) => {
  const named = call.order.map((name) => (name && call.inputs[name] ? [name, call.inputs[name].shape] : null));
  while (named.at(-1) === null) named.pop();
  const bytes = modelOf(call.operator, call.domain, call.version, named, ['o', call.output], call.attributes);
  const session = await ort.InferenceSession.create(
      bytes, {executionProviders: ['cpu'], intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3});
  const feeds = {};
  for (const [name, tensor] of Object.entries(call.inputs))
    if (tensor) feeds[name] = new ort.Tensor('float32', tensor.numbers, tensor.shape);
  return async () => (await session.run(feeds)).o.data;
};

const runCase = async (form, file) => {
  const given = read(`${file}.safetensors`);
  for (const name of ['sinks', 'slopes', 'do']) if (given[name]) throw new Refused(`has no ${name}`);
  const call = forms[form](given), numbers = await (await prepared(call))();
  const [B, H, Lq] = given.q.shape;
  write(`${file}.out.safetensors`, [B, H, Lq, given.v.shape[3]], call.heads_first ? call.heads_first(numbers) : numbers);
};

const causalAttribute = {attention: 'is_causal', multihead: 'unidirectional'};

const time = async (form, causal) => {
  const shape = [1, 12, 1024, 64], random = () => {
    const numbers = new Float32Array(12 * 1024 * 64);
    return {shape, numbers: numbers.map(() => Math.sqrt(-2 * Math.log(1 - Math.random())) *
                                              Math.cos(2 * Math.PI * Math.random()))};
  };
  const call = forms[form]({q: random(), k: random(), v: random(), settings: {scale: '0.125'}});
  if (causal) call.attributes.push([causalAttribute[form], 1, 'int']);
  const run = await prepared(call), times = [];
  await run();
  for (let n = 0; n < 5; ++n) {
    const start = process.cpuUsage();
    await run();
    const {user, system} = process.cpuUsage(start);
    times.push((user + system) * 1e-3);
  }
  console.log(times.sort((a, b) => a - b)[2].toFixed(3));  // the median
};

const [form, folder] = process.argv.slice(2);
if (!(form in forms) || folder === undefined) {
  console.error('worker.mjs: name attention or multihead, then a folder of cases, time or time-causal');
  process.exit(2);
}
if (folder === 'time' || folder === 'time-causal') await time(form, folder === 'time-causal');
else
  for (const name of fs.readdirSync(folder).sort()) {
    if (!name.endsWith('.safetensors') || name.endsWith('.out.safetensors')) continue;
    const file = path.join(folder, name.slice(0, -'.safetensors'.length));
    if (['.out.safetensors', '.refused', '.failed'].some((end) => fs.existsSync(file + end))) continue;
    try {
      await runCase(form, file);
    } catch (error) {
      const line = String(error.message ?? error).replaceAll('\n', ' ');
      fs.writeFileSync(file + (error instanceof Refused ? '.refused' : '.failed'), `${line}\n`);
    }
  }
