import { readFile } from 'node:fs/promises';
import { Interface } from 'ethers';
import solc from 'solc';

/** The file that consumers import; committed, so that only this package's developers need the compiler. */
export const generatedFile = new URL('../src/generated/commitment-service.ts', import.meta.url);

const sourceFile = new URL('../contracts/CommitmentService.sol', import.meta.url);
const sourceName = 'CommitmentService.sol';

/**
 * shanghai: the newest version that every chain we would choose has had since 2024 (PUSH0); nothing of cancun would be
 * used. bytecodeHash none: a comment or a line ending does not change the bytecode.
 */
const settings = {
  viaIR: true,
  optimizer: { enabled: true, runs: 1_000_000 },
  evmVersion: 'shanghai',
  metadata: { bytecodeHash: 'none' },
} as const;

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: {
    readonly [file: string]: {
      readonly [contract: string]: {
        readonly abi: readonly Readonly<Record<string, unknown>>[];
        readonly evm: {
          readonly bytecode: { readonly object: string };
          readonly deployedBytecode: {
            readonly object: string;
            readonly immutableReferences: Readonly<Record<string, readonly { readonly start: number }[]>>;
          };
        };
      };
    };
  };
  readonly sources: { readonly [file: string]: { readonly ast: SyntaxNode } };
}

interface SyntaxNode {
  readonly id: number;
  readonly nodeType: string;
  readonly name?: string;
  readonly nodes?: readonly SyntaxNode[];
}

/** Compiles the contract; throws on any error or warning of the compiler. */
async function compile() {
  const content = (await readFile(sourceFile, 'utf8')).replaceAll('\r\n', '\n');
  const input = {
    language: 'Solidity',
    sources: { [sourceName]: { content } },
    settings: {
      ...settings,
      outputSelection: {
        '*': {
          '*': [
            'abi',
            'evm.bytecode.object',
            'evm.deployedBytecode.object',
            'evm.deployedBytecode.immutableReferences',
          ],
          '': ['ast'],
        },
      },
    },
  };
  const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify(input)));
  const faults = output.errors ?? [];
  if (faults.length > 0) throw new Error(faults.map((fault) => fault.formattedMessage).join('\n'));
  const contract = output.contracts[sourceName]?.CommitmentService;
  if (contract === undefined) throw new Error('the compiler gave no CommitmentService');
  const { bytecode, deployedBytecode } = contract.evm;
  const members = output.sources[sourceName]?.ast.nodes?.find(
    ({ nodeType }) => nodeType === 'ContractDefinition',
  )?.nodes;
  /** Offsets of the immutable's words in the code. */
  const placesOf = (immutable: string): readonly number[] => {
    const id = members?.find(({ name }) => name === immutable)?.id;
    const places = deployedBytecode.immutableReferences[String(id)];
    if (places === undefined) throw new Error(`the compiler gave no places of ${immutable}`);
    return places.map(({ start }) => start);
  };
  return {
    abi: contract.abi,
    bytecode: `0x${bytecode.object}`,
    runtime: {
      code: `0x${deployedBytecode.object}`,
      chainIdAt: placesOf('DOMAIN_CHAIN_ID'),
      domainSeparatorAt: placesOf('DOMAIN_SEPARATOR'),
    },
  };
}

/** The text of the generated file: a pure function of the source, the settings and the compiler's version. */
export async function renderGenerated(): Promise<string> {
  const { abi, bytecode, runtime } = await compile();
  const abstract = new Interface(JSON.stringify(abi));
  const selectors: Record<string, string> = {};
  const topics: Record<string, string> = {};
  const errors: Record<string, string> = {};
  abstract.forEachFunction((fragment) => {
    selectors[fragment.name] = fragment.selector;
  });
  abstract.forEachEvent((fragment) => {
    topics[fragment.name] = fragment.topicHash;
  });
  abstract.forEachError((fragment) => {
    errors[fragment.name] = fragment.selector;
  });
  const constant = (name: string, comment: string, value: unknown) =>
    `/** ${comment} */\nexport const ${name} = ${JSON.stringify(value, undefined, 2)} as const;\n`;
  return [
    '// Generated from contracts/CommitmentService.sol by scripts/compile.ts. Do not edit.\n',
    constant('compiler', 'What to give to a block explorer to verify the contract.', {
      version: solc.version(),
      settings,
    }),
    constant('functionSelectors', 'The first four bytes of a call.', selectors),
    constant('eventTopics', 'topic0 of each event.', topics),
    constant('errorSelectors', 'The first four bytes of revert data.', errors),
    constant('commitmentServiceAbi', 'The ABI as the compiler gives it.', abi),
    constant('commitmentServiceBytecode', 'Creation code; the constructor takes no arguments.', bytecode),
    constant(
      'commitmentServiceRuntime',
      'The code on the chain, with zeros for the immutables, and the offsets of their words.',
      runtime,
    ),
  ].join('\n');
}
