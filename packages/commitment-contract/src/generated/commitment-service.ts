// Generated from contracts/CommitmentService.sol by scripts/compile.ts. Do not edit.

/** What to give to a block explorer to verify the contract. */
export const compiler = {
  "version": "0.8.37+commit.f401782d.Emscripten.clang",
  "settings": {
    "viaIR": true,
    "optimizer": {
      "enabled": true,
      "runs": 1000000
    },
    "evmVersion": "shanghai",
    "metadata": {
      "bytecodeHash": "none"
    }
  }
} as const;

/** The first four bytes of a call. */
export const functionSelectors = {
  "addLane": "0xd88ef93d",
  "addObject": "0x6eb3e17a",
  "addSet": "0x4a7160a2",
  "addSetObject": "0xaa111395",
  "addSetObjectsBatch": "0xd28795d2",
  "addSetsObjectsBatch": "0xe30a7f24",
  "addUserObject": "0x0bc7eca5",
  "addUserSet": "0xffc3a83a",
  "addUserSetObject": "0x08ea1884",
  "addUserSetObjectsBatch": "0xb3dbf40b",
  "addUserSetsObjectsBatch": "0x6b952f71",
  "addUsersSetsObjectsBatch": "0x65d57ef2",
  "checkAuthority": "0xa700c202",
  "commitBatch": "0xcb0e4a4b",
  "delegatedAuthority": "0x35f935b6",
  "eip712Domain": "0x84b0196e",
  "grant": "0x70284d19",
  "grantBySignature": "0x7c23d0fa",
  "laneOperator": "0x713f5ab7",
  "nonces": "0x7ecebe00",
  "removeLane": "0x19aa4baa",
  "revoke": "0x74a8f103",
  "revokeBySignature": "0x69532572",
  "setHead": "0x7b6eff8a",
  "userSetCommitments": "0x25d9315f"
} as const;

/** topic0 of each event. */
export const eventTopics = {
  "AddObject": "0x7103c0fab1d2795199d448c2dd3217322f35d816243c3804867062c08250f3f0",
  "AddSet": "0x63fe44955cb468eca854578f614830dfddfb533a8adaf26af8c6624fd702d806",
  "AddSetObject": "0x38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa4",
  "Grant": "0xe1807bac79e3e9ddd49b7172ea0e99809e4d1fc4fef4dd980e691da4384fbd0f",
  "GrantBySignature": "0xa0f3c431d64725cc9a3649b304e75c551b074d9ed5715401e66373cc93d31072",
  "LaneAdded": "0x0e910bb7ac738bb8cfc704cb688b4d856b5b46bb45f3a932b055762c46f3e8c1",
  "LaneRemoved": "0x1d20ec9f813c18568bb86ba4745cd844f0705a0a2db948372d037ab34a2aff68",
  "Revoke": "0xd7426110292f20fe59e73ccf52124e0f5440a756507c91c7b0a6c50e1eb1a23a",
  "RevokeBySignature": "0x0b2a42e835a700e460e8ae1fb49c166e067ce334227d370839aff500f656bbf7"
} as const;

/** The first four bytes of revert data. */
export const errorSelectors = {
  "InvalidBatch": "0x33b094a1",
  "InvalidNonce": "0x756688fe",
  "InvalidSet": "0xe2b1171b",
  "InvalidSignature": "0x8baa579f",
  "Unauthorized": "0x82b42900"
} as const;

/** The ABI as the compiler gives it. */
export const commitmentServiceAbi = [
  {
    "inputs": [],
    "stateMutability": "nonpayable",
    "type": "constructor"
  },
  {
    "inputs": [],
    "name": "InvalidBatch",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "InvalidNonce",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "InvalidSet",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "InvalidSignature",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "Unauthorized",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "objectCid",
        "type": "bytes32"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "timestamp",
        "type": "uint256"
      }
    ],
    "name": "AddObject",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      }
    ],
    "name": "AddSet",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "objectCid",
        "type": "bytes32"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "timestamp",
        "type": "uint256"
      }
    ],
    "name": "AddSetObject",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "delegate",
        "type": "address"
      }
    ],
    "name": "Grant",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "delegate",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "nonce",
        "type": "uint256"
      }
    ],
    "name": "GrantBySignature",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "operator",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "lane",
        "type": "address"
      }
    ],
    "name": "LaneAdded",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "operator",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "lane",
        "type": "address"
      }
    ],
    "name": "LaneRemoved",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "delegate",
        "type": "address"
      }
    ],
    "name": "Revoke",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "delegate",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "nonce",
        "type": "uint256"
      }
    ],
    "name": "RevokeBySignature",
    "type": "event"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "lane",
        "type": "address"
      },
      {
        "internalType": "bytes",
        "name": "signature",
        "type": "bytes"
      }
    ],
    "name": "addLane",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "objectCid",
        "type": "bytes32"
      }
    ],
    "name": "addObject",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      }
    ],
    "name": "addSet",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "objectCid",
        "type": "bytes32"
      }
    ],
    "name": "addSetObject",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32[]",
        "name": "objectCids",
        "type": "bytes32[]"
      }
    ],
    "name": "addSetObjectsBatch",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32[]",
        "name": "setCids",
        "type": "bytes32[]"
      },
      {
        "internalType": "bytes32[]",
        "name": "objectCids",
        "type": "bytes32[]"
      }
    ],
    "name": "addSetsObjectsBatch",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "objectCid",
        "type": "bytes32"
      }
    ],
    "name": "addUserObject",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      }
    ],
    "name": "addUserSet",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "objectCid",
        "type": "bytes32"
      }
    ],
    "name": "addUserSetObject",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32[]",
        "name": "objectCids",
        "type": "bytes32[]"
      }
    ],
    "name": "addUserSetObjectsBatch",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes32[]",
        "name": "setCids",
        "type": "bytes32[]"
      },
      {
        "internalType": "bytes32[]",
        "name": "objectCids",
        "type": "bytes32[]"
      }
    ],
    "name": "addUserSetsObjectsBatch",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address[]",
        "name": "users",
        "type": "address[]"
      },
      {
        "internalType": "bytes32[]",
        "name": "setCids",
        "type": "bytes32[]"
      },
      {
        "internalType": "bytes32[]",
        "name": "objectCids",
        "type": "bytes32[]"
      }
    ],
    "name": "addUsersSetsObjectsBatch",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      }
    ],
    "name": "checkAuthority",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "user",
            "type": "address"
          },
          {
            "internalType": "uint64",
            "name": "count",
            "type": "uint64"
          },
          {
            "internalType": "bool",
            "name": "newSet",
            "type": "bool"
          },
          {
            "internalType": "bytes32",
            "name": "setCid",
            "type": "bytes32"
          }
        ],
        "internalType": "struct CommitmentService.Run[]",
        "name": "runs",
        "type": "tuple[]"
      },
      {
        "internalType": "bytes32[]",
        "name": "objectCids",
        "type": "bytes32[]"
      }
    ],
    "name": "commitBatch",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "delegate",
        "type": "address"
      }
    ],
    "name": "delegatedAuthority",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "eip712Domain",
    "outputs": [
      {
        "internalType": "bytes1",
        "name": "fields",
        "type": "bytes1"
      },
      {
        "internalType": "string",
        "name": "name",
        "type": "string"
      },
      {
        "internalType": "string",
        "name": "version",
        "type": "string"
      },
      {
        "internalType": "uint256",
        "name": "chainId",
        "type": "uint256"
      },
      {
        "internalType": "address",
        "name": "verifyingContract",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "salt",
        "type": "bytes32"
      },
      {
        "internalType": "uint256[]",
        "name": "extensions",
        "type": "uint256[]"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "delegate",
        "type": "address"
      }
    ],
    "name": "grant",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "delegate",
            "type": "address"
          },
          {
            "internalType": "uint256",
            "name": "nonce",
            "type": "uint256"
          }
        ],
        "internalType": "struct CommitmentService.DelegateData",
        "name": "delegateData",
        "type": "tuple"
      },
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes",
        "name": "signature",
        "type": "bytes"
      }
    ],
    "name": "grantBySignature",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "lane",
        "type": "address"
      }
    ],
    "name": "laneOperator",
    "outputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      }
    ],
    "name": "nonces",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "lane",
        "type": "address"
      }
    ],
    "name": "removeLane",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "delegate",
        "type": "address"
      }
    ],
    "name": "revoke",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "delegate",
            "type": "address"
          },
          {
            "internalType": "uint256",
            "name": "nonce",
            "type": "uint256"
          }
        ],
        "internalType": "struct CommitmentService.DelegateData",
        "name": "delegateData",
        "type": "tuple"
      },
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes",
        "name": "signature",
        "type": "bytes"
      }
    ],
    "name": "revokeBySignature",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      }
    ],
    "name": "setHead",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      }
    ],
    "name": "userSetCommitments",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  }
] as const;

/** Creation code; the constructor takes no arguments. */
export const commitmentServiceBytecode = "0x60c0604052346100f5574660805260405161001b6040826100f9565b6011815270436f6d6d69746d656e745365727669636560781b602090910152604080517f2f84f6a4b56bd2d73bb570459a05421f40d6095fe6c942df5bbd9513d71d5ead9161006a90826100f9565b600181526020810190603160f81b82525190206040519060208201927f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f8452604083015260608201524660808201523060a082015260a081526100ce60c0826100f9565b51902060a052604051611d589081610131823960805181611988015260a051816119ae0152f35b5f80fd5b601f909101601f19168101906001600160401b0382119082101761011c57604052565b634e487b7160e01b5f52604160045260245ffdfe60806040526004361015610011575f80fd5b5f3560e01c806308ea18841461137a5780630bc7eca5146112f157806319aa4baa1461120757806325d9315f146111c157806335f935b61461112f5780634a7160a2146110f457806365d57ef214610fe15780636953257214610ee65780636b952f7114610e575780636eb3e17a14610df657806370284d1914610d00578063713f5ab714610c8757806374a8f10314610b945780637b6eff8a14610b475780637c23d0fa14610a335780637ecebe00146109d057806384b0196e14610880578063a700c2021461082c578063aa111395146107ee578063b3dbf40b1461077e578063cb0e4a4b146102bf578063d28795d214610263578063d88ef93d14610202578063e30a7f24146101865763ffc3a83a1461012c575f80fd5b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576101806101666113cc565b610177610171611728565b8261175b565b60243590611830565b005b5f80fd5b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760043567ffffffffffffffff8111610182576101d59036906004016113ef565b6024359167ffffffffffffffff8311610182576101f96101809336906004016113ef565b92909133611b9c565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576102396113cc565b6024359067ffffffffffffffff82116101825761025d610180923690600401611420565b916115f0565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760243567ffffffffffffffff8111610182576102b56101809136906004016113ef565b9060043533611c3d565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760043567ffffffffffffffff811161018257366023820112156101825780600401359067ffffffffffffffff8211610182578060248092019260071b01013681116101825760243567ffffffffffffffff811161018257610354839136906004016113ef565b91909261035f611728565b91825f525f60205260405f2094604051957f40123c9761973e4154a6e3cc524faeb075fc8d7f3787115592f08a8d3b84d629875260608701526080860190428252809560051b0195823519925b8481106103e4578787036103bc57005b7f33b094a1000000000000000000000000000000000000000000000000000000005f5260045ffd5b606081013581356020830135898b0360051c81116103bc5760051b8901868203610729575b82156106d75782602086015260608520928354801561066e575b5f5291907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff2081015b808c106104ad57505b808b1061046d57505050906080915f5190555b016103ac565b909199806020913580835260405f205f528c857f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa4858ca401999190610454565b9a806101009194929394358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460208101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460408101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460608101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460808101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460a08101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460c08101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460e08101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da4019a9291909261044b565b506040850135156106af57825f528060205260405f2081847f63fe44955cb468eca854578f614830dfddfb533a8adaf26af8c6624fd702d8065f80a3610423565b7fe2b1171b000000000000000000000000000000000000000000000000000000005f5260045ffd5b915060408301356106af57905b8089106106f5575050608090610467565b909780602091358a7f7103c0fab1d2795199d448c2dd3217322f35d816243c3804867062c08250f3f08489a30197906106e4565b95508060a01c61075657604080850182815220541561074a575b8095610409565b33811488821417610743575b7f82b42900000000000000000000000000000000000000000000000000000000005f5260045ffd5b346101825760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576107b56113cc565b6044359067ffffffffffffffff8211610182576107d96101809236906004016113ef565b916107e5610171611728565b60243590611c3d565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576101806024356004353361176c565b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760206108766108686113cc565b610870611728565b90611be4565b6040519015158152f35b34610182575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576109746040516108bf604082611582565b601181527f436f6d6d69746d656e745365727669636500000000000000000000000000000060208201526040516108f7604082611582565b600181527f310000000000000000000000000000000000000000000000000000000000000060208201526020610982604051926109348385611582565b5f84525f3681376040519586957f0f00000000000000000000000000000000000000000000000000000000000000875260e08588015260e08701906114c7565b9085820360408701526114c7565b4660608501523060808501525f60a085015283810360c08501528180845192838152019301915f5b8281106109b957505050500390f35b8351855286955093810193928101926001016109aa565b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825773ffffffffffffffffffffffffffffffffffffffff610a1c6113cc565b165f526002602052602060405f2054604051908152f35b3461018257610b3a610aed7fa0f3c431d64725cc9a3649b304e75c551b074d9ed5715401e66373cc93d31072602073ffffffffffffffffffffffffffffffffffffffff80610a803661144e565b8684939a94999299013598610a958a8c61189b565b610a9e84611561565b604051878a8201927f6e16873d45f3e70259578c9da98e0656d0608f67610c93896979a7a6d0b217af84521660408201528b606082015260608152610ae4608082611582565b5190208b61191c565b82610af782611561565b165f525f855260405f208389165f52855260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055611561565b60405195865216941692a3005b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576020610b8c610b836113cc565b602435906117ce565b604051908152f35b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825773ffffffffffffffffffffffffffffffffffffffff610be06113cc565b610c0e3373ffffffffffffffffffffffffffffffffffffffff165f52600260205260405f2060018154019055565b16805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff008154169055337fd7426110292f20fe59e73ccf52124e0f5440a756507c91c7b0a6c50e1eb1a23a5f80a3005b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825773ffffffffffffffffffffffffffffffffffffffff610cd36113cc565b165f526001602052602073ffffffffffffffffffffffffffffffffffffffff60405f205416604051908152f35b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825773ffffffffffffffffffffffffffffffffffffffff610d4c6113cc565b610d7a3373ffffffffffffffffffffffffffffffffffffffff165f52600260205260405f2060018154019055565b16805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055337fe1807bac79e3e9ddd49b7172ea0e99809e4d1fc4fef4dd980e691da4384fbd0f5f80a3005b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261018257604051428152600435907f7103c0fab1d2795199d448c2dd3217322f35d816243c3804867062c08250f3f060203392a3005b346101825760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261018257610e8e6113cc565b60243567ffffffffffffffff811161018257610eae9036906004016113ef565b916044359267ffffffffffffffff841161018257610ed36101809436906004016113ef565b939092610ee1610171611728565b611b9c565b3461018257610b3a610f977f0b2a42e835a700e460e8ae1fb49c166e067ce334227d370839aff500f656bbf7602073ffffffffffffffffffffffffffffffffffffffff80610f333661144e565b8684939a94999299013598610f488a8c61189b565b610f5184611561565b604051878a8201927f048ae155c04f8f414299a84e0ab4b0bbb6a6cec6d782602429fba9d64308154a84521660408201528b606082015260608152610ae4608082611582565b82610fa182611561565b165f525f855260405f208389165f52855260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff008154169055611561565b346101825760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760043567ffffffffffffffff8111610182576110309036906004016113ef565b60243567ffffffffffffffff8111610182576110509036906004016113ef565b919060443567ffffffffffffffff8111610182576110729036906004016113ef565b938084148015906110ea575b6103bc5761108a611728565b935f5b81811061109657005b806110b5876110b06110ab600195878e611524565b611561565b61175b565b6110e46110c66110ab83868d611524565b6110d183878a611524565b356110dd848c8a611524565b359161176c565b0161108d565b508484141561107e565b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825761018060043533611830565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576111666113cc565b60243573ffffffffffffffffffffffffffffffffffffffff8116809103610182575f525f60205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060ff60405f2054166040519015158152f35b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760206111fd610b836113cc565b1515604051908152f35b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825773ffffffffffffffffffffffffffffffffffffffff6112536113cc565b16805f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f205416801580156112dc575b61075657815f52600160205260405f207fffffffffffffffffffffffff000000000000000000000000000000000000000081541690557f1d20ec9f813c18568bb86ba4745cd844f0705a0a2db948372d037ab34a2aff685f80a3005b50803314158015611280575081331415611280565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576113286113cc565b611333610171611728565b6040514281527f7103c0fab1d2795199d448c2dd3217322f35d816243c3804867062c08250f3f0602073ffffffffffffffffffffffffffffffffffffffff602435941692a3005b346101825760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576101806113b46113cc565b6113bf610171611728565b604435906024359061176c565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361018257565b9181601f840112156101825782359167ffffffffffffffff8311610182576020808501948460051b01011161018257565b9181601f840112156101825782359167ffffffffffffffff8311610182576020838186019501011161018257565b7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc810160808112610182576040136101825760049160443573ffffffffffffffffffffffffffffffffffffffff8116810361018257916064359067ffffffffffffffff8211610182576114c391600401611420565b9091565b91908251928382525f5b84811061150f5750507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f845f6020809697860101520116010190565b806020809284010151828286010152016114d1565b91908110156115345760051b0190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b3573ffffffffffffffffffffffffffffffffffffffff811681036101825790565b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff8211176115c357604052565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b91909173ffffffffffffffffffffffffffffffffffffffff811692835f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f20541633811461172157610756576116c69261169c91855f52600260205260405f205460405160208101917f36951f8de1eeb41a51137eda87654a25e7566f9b2f419643a072705d8df558038352336040830152606082015260608152611693608082611582565b5190208461191c565b73ffffffffffffffffffffffffffffffffffffffff165f52600260205260405f2060018154019055565b805f52600160205260405f20337fffffffffffffffffffffffff0000000000000000000000000000000000000000825416179055337f0e910bb7ac738bb8cfc704cb688b4d856b5b46bb45f3a932b055762c46f3e8c15f80a3565b5050505050565b335f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f20541680155f1461175857503390565b90565b9061176591611be4565b1561075657565b6117768282611cd7565b5f528260205261178a60405f208383611cea565b7f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa4602073ffffffffffffffffffffffffffffffffffffffff604051934285521692a4565b73ffffffffffffffffffffffffffffffffffffffff6040519160208301937f40123c9761973e4154a6e3cc524faeb075fc8d7f3787115592f08a8d3b84d6298552604084015216606082015260608152611829608082611582565b5190205490565b81156106af5761184082826117ce565b6118975761187173ffffffffffffffffffffffffffffffffffffffff821691825f52836020528360405f2091611cea565b7f63fe44955cb468eca854578f614830dfddfb533a8adaf26af8c6624fd702d8065f80a3565b5050565b9073ffffffffffffffffffffffffffffffffffffffff82165f52600260205260405f2054036118f4576118f29073ffffffffffffffffffffffffffffffffffffffff165f52600260205260405f2060018154019055565b565b7f756688fe000000000000000000000000000000000000000000000000000000005f5260045ffd5b92919060418303611a61578260201161018257813591836040116101825760208101359360401015611534576040013560f81c7f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a084118015611b85575b611a61576020935f93608093467f000000000000000000000000000000000000000000000000000000000000000003611ab5577f0000000000000000000000000000000000000000000000000000000000000000905b60405190888201927f190100000000000000000000000000000000000000000000000000000000000084526022830152604282015260428152611a13606282611582565b51902092604051938452868401526040830152606082015282805260015afa15611aaa5773ffffffffffffffffffffffffffffffffffffffff5f51168015918215611a89575b5050611a6157565b7f8baa579f000000000000000000000000000000000000000000000000000000005f5260045ffd5b73ffffffffffffffffffffffffffffffffffffffff16141590505f80611a59565b6040513d5f823e3d90fd5b604051611ac3604082611582565b60118152878101907f436f6d6d69746d656e74536572766963650000000000000000000000000000008252519020604051611aff604082611582565b60018152888101907f3100000000000000000000000000000000000000000000000000000000000000825251902060405190898201927f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f84526040830152606082015246878201523060a082015260a08152611b7c60c082611582565b519020906119cf565b50601b81141580156119795750601c811415611979565b92919390938181036103bc575f5b818110611bb957505050505050565b80611bde611bca600193858a611524565b35611bd6838789611524565b35908861176c565b01611baa565b9073ffffffffffffffffffffffffffffffffffffffff8091169116818114918215611c33575b8215611c1557505090565b9091505f525f60205260405f20905f5260205260ff60405f20541690565b3382149250611c0a565b939293611c4a8282611cd7565b925f9073ffffffffffffffffffffffffffffffffffffffff8316965b808310611c7b575050506118f2939450611cea565b909194611c89868385611524565b35905f52602052600160405f2095611ca2818486611524565b35868a7f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa46020604051428152a4019190611c66565b90611ce1916117ce565b9081156106af57565b73ffffffffffffffffffffffffffffffffffffffff6040519160208301937f40123c9761973e4154a6e3cc524faeb075fc8d7f3787115592f08a8d3b84d6298552604084015216606082015260608152611d45608082611582565b5190205556fea164736f6c6343000825000a" as const;

/** The code on the chain, with zeros for the immutables, and the offsets of their words. */
export const commitmentServiceRuntime = {
  "code": "0x60806040526004361015610011575f80fd5b5f3560e01c806308ea18841461137a5780630bc7eca5146112f157806319aa4baa1461120757806325d9315f146111c157806335f935b61461112f5780634a7160a2146110f457806365d57ef214610fe15780636953257214610ee65780636b952f7114610e575780636eb3e17a14610df657806370284d1914610d00578063713f5ab714610c8757806374a8f10314610b945780637b6eff8a14610b475780637c23d0fa14610a335780637ecebe00146109d057806384b0196e14610880578063a700c2021461082c578063aa111395146107ee578063b3dbf40b1461077e578063cb0e4a4b146102bf578063d28795d214610263578063d88ef93d14610202578063e30a7f24146101865763ffc3a83a1461012c575f80fd5b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576101806101666113cc565b610177610171611728565b8261175b565b60243590611830565b005b5f80fd5b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760043567ffffffffffffffff8111610182576101d59036906004016113ef565b6024359167ffffffffffffffff8311610182576101f96101809336906004016113ef565b92909133611b9c565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576102396113cc565b6024359067ffffffffffffffff82116101825761025d610180923690600401611420565b916115f0565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760243567ffffffffffffffff8111610182576102b56101809136906004016113ef565b9060043533611c3d565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760043567ffffffffffffffff811161018257366023820112156101825780600401359067ffffffffffffffff8211610182578060248092019260071b01013681116101825760243567ffffffffffffffff811161018257610354839136906004016113ef565b91909261035f611728565b91825f525f60205260405f2094604051957f40123c9761973e4154a6e3cc524faeb075fc8d7f3787115592f08a8d3b84d629875260608701526080860190428252809560051b0195823519925b8481106103e4578787036103bc57005b7f33b094a1000000000000000000000000000000000000000000000000000000005f5260045ffd5b606081013581356020830135898b0360051c81116103bc5760051b8901868203610729575b82156106d75782602086015260608520928354801561066e575b5f5291907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff2081015b808c106104ad57505b808b1061046d57505050906080915f5190555b016103ac565b909199806020913580835260405f205f528c857f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa4858ca401999190610454565b9a806101009194929394358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460208101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460408101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460608101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460808101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460a08101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460c08101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460e08101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da4019a9291909261044b565b506040850135156106af57825f528060205260405f2081847f63fe44955cb468eca854578f614830dfddfb533a8adaf26af8c6624fd702d8065f80a3610423565b7fe2b1171b000000000000000000000000000000000000000000000000000000005f5260045ffd5b915060408301356106af57905b8089106106f5575050608090610467565b909780602091358a7f7103c0fab1d2795199d448c2dd3217322f35d816243c3804867062c08250f3f08489a30197906106e4565b95508060a01c61075657604080850182815220541561074a575b8095610409565b33811488821417610743575b7f82b42900000000000000000000000000000000000000000000000000000000005f5260045ffd5b346101825760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576107b56113cc565b6044359067ffffffffffffffff8211610182576107d96101809236906004016113ef565b916107e5610171611728565b60243590611c3d565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576101806024356004353361176c565b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760206108766108686113cc565b610870611728565b90611be4565b6040519015158152f35b34610182575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576109746040516108bf604082611582565b601181527f436f6d6d69746d656e745365727669636500000000000000000000000000000060208201526040516108f7604082611582565b600181527f310000000000000000000000000000000000000000000000000000000000000060208201526020610982604051926109348385611582565b5f84525f3681376040519586957f0f00000000000000000000000000000000000000000000000000000000000000875260e08588015260e08701906114c7565b9085820360408701526114c7565b4660608501523060808501525f60a085015283810360c08501528180845192838152019301915f5b8281106109b957505050500390f35b8351855286955093810193928101926001016109aa565b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825773ffffffffffffffffffffffffffffffffffffffff610a1c6113cc565b165f526002602052602060405f2054604051908152f35b3461018257610b3a610aed7fa0f3c431d64725cc9a3649b304e75c551b074d9ed5715401e66373cc93d31072602073ffffffffffffffffffffffffffffffffffffffff80610a803661144e565b8684939a94999299013598610a958a8c61189b565b610a9e84611561565b604051878a8201927f6e16873d45f3e70259578c9da98e0656d0608f67610c93896979a7a6d0b217af84521660408201528b606082015260608152610ae4608082611582565b5190208b61191c565b82610af782611561565b165f525f855260405f208389165f52855260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055611561565b60405195865216941692a3005b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576020610b8c610b836113cc565b602435906117ce565b604051908152f35b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825773ffffffffffffffffffffffffffffffffffffffff610be06113cc565b610c0e3373ffffffffffffffffffffffffffffffffffffffff165f52600260205260405f2060018154019055565b16805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff008154169055337fd7426110292f20fe59e73ccf52124e0f5440a756507c91c7b0a6c50e1eb1a23a5f80a3005b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825773ffffffffffffffffffffffffffffffffffffffff610cd36113cc565b165f526001602052602073ffffffffffffffffffffffffffffffffffffffff60405f205416604051908152f35b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825773ffffffffffffffffffffffffffffffffffffffff610d4c6113cc565b610d7a3373ffffffffffffffffffffffffffffffffffffffff165f52600260205260405f2060018154019055565b16805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055337fe1807bac79e3e9ddd49b7172ea0e99809e4d1fc4fef4dd980e691da4384fbd0f5f80a3005b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261018257604051428152600435907f7103c0fab1d2795199d448c2dd3217322f35d816243c3804867062c08250f3f060203392a3005b346101825760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261018257610e8e6113cc565b60243567ffffffffffffffff811161018257610eae9036906004016113ef565b916044359267ffffffffffffffff841161018257610ed36101809436906004016113ef565b939092610ee1610171611728565b611b9c565b3461018257610b3a610f977f0b2a42e835a700e460e8ae1fb49c166e067ce334227d370839aff500f656bbf7602073ffffffffffffffffffffffffffffffffffffffff80610f333661144e565b8684939a94999299013598610f488a8c61189b565b610f5184611561565b604051878a8201927f048ae155c04f8f414299a84e0ab4b0bbb6a6cec6d782602429fba9d64308154a84521660408201528b606082015260608152610ae4608082611582565b82610fa182611561565b165f525f855260405f208389165f52855260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff008154169055611561565b346101825760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760043567ffffffffffffffff8111610182576110309036906004016113ef565b60243567ffffffffffffffff8111610182576110509036906004016113ef565b919060443567ffffffffffffffff8111610182576110729036906004016113ef565b938084148015906110ea575b6103bc5761108a611728565b935f5b81811061109657005b806110b5876110b06110ab600195878e611524565b611561565b61175b565b6110e46110c66110ab83868d611524565b6110d183878a611524565b356110dd848c8a611524565b359161176c565b0161108d565b508484141561107e565b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825761018060043533611830565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576111666113cc565b60243573ffffffffffffffffffffffffffffffffffffffff8116809103610182575f525f60205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060ff60405f2054166040519015158152f35b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760206111fd610b836113cc565b1515604051908152f35b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825773ffffffffffffffffffffffffffffffffffffffff6112536113cc565b16805f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f205416801580156112dc575b61075657815f52600160205260405f207fffffffffffffffffffffffff000000000000000000000000000000000000000081541690557f1d20ec9f813c18568bb86ba4745cd844f0705a0a2db948372d037ab34a2aff685f80a3005b50803314158015611280575081331415611280565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576113286113cc565b611333610171611728565b6040514281527f7103c0fab1d2795199d448c2dd3217322f35d816243c3804867062c08250f3f0602073ffffffffffffffffffffffffffffffffffffffff602435941692a3005b346101825760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576101806113b46113cc565b6113bf610171611728565b604435906024359061176c565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361018257565b9181601f840112156101825782359167ffffffffffffffff8311610182576020808501948460051b01011161018257565b9181601f840112156101825782359167ffffffffffffffff8311610182576020838186019501011161018257565b7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc810160808112610182576040136101825760049160443573ffffffffffffffffffffffffffffffffffffffff8116810361018257916064359067ffffffffffffffff8211610182576114c391600401611420565b9091565b91908251928382525f5b84811061150f5750507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f845f6020809697860101520116010190565b806020809284010151828286010152016114d1565b91908110156115345760051b0190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b3573ffffffffffffffffffffffffffffffffffffffff811681036101825790565b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff8211176115c357604052565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b91909173ffffffffffffffffffffffffffffffffffffffff811692835f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f20541633811461172157610756576116c69261169c91855f52600260205260405f205460405160208101917f36951f8de1eeb41a51137eda87654a25e7566f9b2f419643a072705d8df558038352336040830152606082015260608152611693608082611582565b5190208461191c565b73ffffffffffffffffffffffffffffffffffffffff165f52600260205260405f2060018154019055565b805f52600160205260405f20337fffffffffffffffffffffffff0000000000000000000000000000000000000000825416179055337f0e910bb7ac738bb8cfc704cb688b4d856b5b46bb45f3a932b055762c46f3e8c15f80a3565b5050505050565b335f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f20541680155f1461175857503390565b90565b9061176591611be4565b1561075657565b6117768282611cd7565b5f528260205261178a60405f208383611cea565b7f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa4602073ffffffffffffffffffffffffffffffffffffffff604051934285521692a4565b73ffffffffffffffffffffffffffffffffffffffff6040519160208301937f40123c9761973e4154a6e3cc524faeb075fc8d7f3787115592f08a8d3b84d6298552604084015216606082015260608152611829608082611582565b5190205490565b81156106af5761184082826117ce565b6118975761187173ffffffffffffffffffffffffffffffffffffffff821691825f52836020528360405f2091611cea565b7f63fe44955cb468eca854578f614830dfddfb533a8adaf26af8c6624fd702d8065f80a3565b5050565b9073ffffffffffffffffffffffffffffffffffffffff82165f52600260205260405f2054036118f4576118f29073ffffffffffffffffffffffffffffffffffffffff165f52600260205260405f2060018154019055565b565b7f756688fe000000000000000000000000000000000000000000000000000000005f5260045ffd5b92919060418303611a61578260201161018257813591836040116101825760208101359360401015611534576040013560f81c7f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a084118015611b85575b611a61576020935f93608093467f000000000000000000000000000000000000000000000000000000000000000003611ab5577f0000000000000000000000000000000000000000000000000000000000000000905b60405190888201927f190100000000000000000000000000000000000000000000000000000000000084526022830152604282015260428152611a13606282611582565b51902092604051938452868401526040830152606082015282805260015afa15611aaa5773ffffffffffffffffffffffffffffffffffffffff5f51168015918215611a89575b5050611a6157565b7f8baa579f000000000000000000000000000000000000000000000000000000005f5260045ffd5b73ffffffffffffffffffffffffffffffffffffffff16141590505f80611a59565b6040513d5f823e3d90fd5b604051611ac3604082611582565b60118152878101907f436f6d6d69746d656e74536572766963650000000000000000000000000000008252519020604051611aff604082611582565b60018152888101907f3100000000000000000000000000000000000000000000000000000000000000825251902060405190898201927f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f84526040830152606082015246878201523060a082015260a08152611b7c60c082611582565b519020906119cf565b50601b81141580156119795750601c811415611979565b92919390938181036103bc575f5b818110611bb957505050505050565b80611bde611bca600193858a611524565b35611bd6838789611524565b35908861176c565b01611baa565b9073ffffffffffffffffffffffffffffffffffffffff8091169116818114918215611c33575b8215611c1557505090565b9091505f525f60205260405f20905f5260205260ff60405f20541690565b3382149250611c0a565b939293611c4a8282611cd7565b925f9073ffffffffffffffffffffffffffffffffffffffff8316965b808310611c7b575050506118f2939450611cea565b909194611c89868385611524565b35905f52602052600160405f2095611ca2818486611524565b35868a7f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa46020604051428152a4019190611c66565b90611ce1916117ce565b9081156106af57565b73ffffffffffffffffffffffffffffffffffffffff6040519160208301937f40123c9761973e4154a6e3cc524faeb075fc8d7f3787115592f08a8d3b84d6298552604084015216606082015260608152611d45608082611582565b5190205556fea164736f6c6343000825000a",
  "chainIdAt": [
    6536
  ],
  "domainSeparatorAt": [
    6574
  ]
} as const;
