// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Commitment service
/// @notice Records content identifiers (CIDs) under the address of their owner. The record is the event log: an object
/// takes no storage slot. A set (collection) takes one slot, its head: the rolling hash of its objects in their order.
/// @dev Who may write for a user: the user; a delegate the user granted; a lane (signing key) of such a delegate.
/// The contract holds no funds, calls no other contract but the ecrecover precompile, and has no owner and no upgrade path.
/// One long file: whoever checks what is deployed reads it as a whole.
contract CommitmentService {
    /// @notice A stretch of a batch: the next `count` objects belong to `user` and to `setCid`.
    /// @param newSet record the set before its objects; nothing happens when it stands already
    /// @param setCid zero for objects without a set
    struct Run {
        address user;
        uint64 count;
        bool newSet;
        bytes32 setCid;
    }

    /// @notice What a user signs to grant or to revoke; `nonce` must be the user's current one.
    struct DelegateData {
        address delegate;
        uint256 nonce;
    }

    event AddSet(address indexed user, bytes32 indexed setCid);
    event AddObject(address indexed user, bytes32 indexed objectCid, uint256 timestamp);
    event AddSetObject(
        address indexed user, bytes32 indexed setCid, bytes32 indexed objectCid, uint256 timestamp
    );
    event Grant(address indexed user, address indexed delegate);
    event Revoke(address indexed user, address indexed delegate);
    event GrantBySignature(address indexed user, address indexed delegate, uint256 nonce);
    event RevokeBySignature(address indexed user, address indexed delegate, uint256 nonce);
    event LaneAdded(address indexed operator, address indexed lane);
    event LaneRemoved(address indexed operator, address indexed lane);

    /// @notice The set is zero, or an object was to be added to a set that is not committed.
    error InvalidSet();
    /// @notice Array lengths differ, or the runs do not cover the objects exactly.
    error InvalidBatch();
    /// @notice The sender may not do this for that user or that lane.
    error Unauthorized();
    /// @notice The signature is malformed, malleable, or not that of the address it should be.
    error InvalidSignature();
    /// @notice The signed nonce is not the user's current one.
    error InvalidNonce();

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant GRANT_TYPEHASH = keccak256("Grant(address delegate,uint256 nonce)");
    bytes32 private constant REVOKE_TYPEHASH = keccak256("Revoke(address delegate,uint256 nonce)");
    bytes32 private constant LANE_TYPEHASH = keccak256("Lane(address operator,uint256 nonce)");
    string private constant NAME = "CommitmentService";
    string private constant VERSION = "1";
    /// @dev Half the order of secp256k1: the upper half of `s` would be a second signature of the same message.
    uint256 private constant MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;
    /// @dev First word of the 96 bytes whose hash is a head's slot: keccak256(HEADS, setCid, user). Mappings hash 64
    /// bytes, so no choice of user and set can reach a mapping's slot.
    uint256 private constant HEADS = uint256(keccak256("indelible.commitment-service.heads"));

    uint256 private immutable DOMAIN_CHAIN_ID;
    bytes32 private immutable DOMAIN_SEPARATOR;

    /// @dev delegate => user => granted. The delegate comes first: a batch hashes it once and a user with one hash.
    mapping(address delegate => mapping(address user => bool)) private _granted;
    /// @notice The operator for which a lane writes; zero when the address is no lane.
    mapping(address lane => address) public laneOperator;
    /// @notice The nonce the next signature of an address must carry. Grants, revocations and lane consents share it, and
    /// grants and revocations that the address sends itself spend it as well.
    mapping(address user => uint256) public nonces;

    constructor() {
        DOMAIN_CHAIN_ID = block.chainid;
        DOMAIN_SEPARATOR = _domainSeparator();
    }

    // ---- For the sender

    /// @notice Records a set of the sender. A set that stands already stays as it is, without a second event.
    function addSet(bytes32 setCid) external {
        _addSet(msg.sender, setCid);
    }

    /// @notice Records an object of the sender that belongs to no set.
    function addObject(bytes32 objectCid) external {
        emit AddObject(msg.sender, objectCid, block.timestamp);
    }

    /// @notice Records an object in a committed set of the sender.
    function addSetObject(bytes32 setCid, bytes32 objectCid) external {
        _addSetObject(msg.sender, setCid, objectCid);
    }

    /// @notice Records objects, in order, in one committed set of the sender.
    function addSetObjectsBatch(bytes32 setCid, bytes32[] calldata objectCids) external {
        _addSetObjects(msg.sender, setCid, objectCids);
    }

    /// @notice Records objectCids[i] in setCids[i], committed sets of the sender.
    function addSetsObjectsBatch(bytes32[] calldata setCids, bytes32[] calldata objectCids) external {
        _addSetsObjects(msg.sender, setCids, objectCids);
    }

    // ---- For a user who granted the sender, or the operator whose lane the sender is

    /// @notice As addSet, for `user`.
    function addUserSet(address user, bytes32 setCid) external {
        _requireAuthority(user, _actor());
        _addSet(user, setCid);
    }

    /// @notice As addObject, for `user`.
    function addUserObject(address user, bytes32 objectCid) external {
        _requireAuthority(user, _actor());
        emit AddObject(user, objectCid, block.timestamp);
    }

    /// @notice As addSetObject, for `user`.
    function addUserSetObject(address user, bytes32 setCid, bytes32 objectCid) external {
        _requireAuthority(user, _actor());
        _addSetObject(user, setCid, objectCid);
    }

    /// @notice As addSetObjectsBatch, for `user`.
    function addUserSetObjectsBatch(address user, bytes32 setCid, bytes32[] calldata objectCids) external {
        _requireAuthority(user, _actor());
        _addSetObjects(user, setCid, objectCids);
    }

    /// @notice As addSetsObjectsBatch, for `user`.
    function addUserSetsObjectsBatch(address user, bytes32[] calldata setCids, bytes32[] calldata objectCids)
        external
    {
        _requireAuthority(user, _actor());
        _addSetsObjects(user, setCids, objectCids);
    }

    /// @notice Records objectCids[i] in the committed set setCids[i] of users[i].
    function addUsersSetsObjectsBatch(
        address[] calldata users,
        bytes32[] calldata setCids,
        bytes32[] calldata objectCids
    ) external {
        if (users.length != setCids.length || users.length != objectCids.length) revert InvalidBatch();
        address actor = _actor();
        for (uint256 i = 0; i < users.length; ++i) {
            _requireAuthority(users[i], actor);
            _addSetObject(users[i], setCids[i], objectCids[i]);
        }
    }

    /// @notice The hot path: records the objects of many users and sets in one transaction. Run after run takes its
    /// `count` objects from `objectCids`; together they must take all of them. All of it is recorded, or nothing is.
    /// @dev Assembly, since every stamp passes here: one log and one hash an object, one slot read and written a run.
    /// `newSet` is looked at only where it matters, and any word but zero is true.
    function commitBatch(Run[] calldata runs, bytes32[] calldata objectCids) external {
        address actor = _actor();
        bytes32 addSetTopic = AddSet.selector;
        bytes32 addObjectTopic = AddObject.selector;
        bytes32 addSetObjectTopic = AddSetObject.selector;
        bytes32 invalidSet = InvalidSet.selector;
        bytes32 invalidBatch = InvalidBatch.selector;
        bytes32 unauthorized = Unauthorized.selector;
        uint256 heads = HEADS;

        assembly ("memory-safe") {
            function fail(selector) {
                mstore(0x00, selector)
                revert(0x00, 0x04)
            }

            // The slot of _granted[actor]: with the user's word before it, its hash is the slot of the grant.
            mstore(0x00, actor)
            mstore(0x20, _granted.slot)
            let grants := keccak256(0x00, 0x40)

            // m: HEADS | setCid | user | grants | timestamp. The first three words hash to the head's slot, the third
            // and fourth to the grant's; the fifth is the data of every log.
            let m := mload(0x40)
            mstore(m, heads)
            mstore(add(m, 0x60), grants)
            let log := add(m, 0x80)
            mstore(log, timestamp())

            let cursor := objectCids.offset
            let limit := add(cursor, shl(5, objectCids.length))
            let run := runs.offset
            let lastRun := add(run, shl(7, runs.length))
            // Differs from the first user's word, whatever that is: the first user is always checked.
            let checkedUser := not(calldataload(run))

            for {} lt(run, lastRun) { run := add(run, 0x80) } {
                let user := calldataload(run)
                let count := calldataload(add(run, 0x20))
                let setCid := calldataload(add(run, 0x60))
                // Compared as a count, so that no count overflows the end.
                if gt(count, shr(5, sub(limit, cursor))) { fail(invalidBatch) }
                let end := add(cursor, shl(5, count))

                if iszero(eq(user, checkedUser)) {
                    // The ABI decoder checks no word of a run: one that is no address has no authority over anybody.
                    if shr(160, user) { fail(unauthorized) }
                    mstore(add(m, 0x40), user)
                    if iszero(sload(keccak256(add(m, 0x40), 0x40))) {
                        if iszero(or(eq(user, actor), eq(user, caller()))) { fail(unauthorized) }
                    }
                    checkedUser := user
                }

                switch setCid
                case 0 {
                    if calldataload(add(run, 0x40)) { fail(invalidSet) }
                    for {} lt(cursor, end) { cursor := add(cursor, 0x20) } {
                        log3(log, 0x20, addObjectTopic, user, calldataload(cursor))
                    }
                }
                default {
                    mstore(add(m, 0x20), setCid)
                    let slot := keccak256(m, 0x60)
                    let head := sload(slot)
                    if iszero(head) {
                        if iszero(calldataload(add(run, 0x40))) { fail(invalidSet) }
                        mstore(0x00, user)
                        mstore(0x20, setCid)
                        head := keccak256(0x00, 0x40)
                        log3(0x00, 0x00, addSetTopic, user, setCid)
                    }
                    // The scratch words hold head | objectCid; the hash of both is the next head.
                    mstore(0x00, head)
                    // Eight objects at a time: the loop's own code is then an eighth. Call data is longer than 0xe0.
                    let lastEight := sub(end, 0xe0)
                    for {} lt(cursor, lastEight) { cursor := add(cursor, 0x100) } {
                        let objectCid := calldataload(cursor)
                        mstore(0x20, objectCid)
                        mstore(0x00, keccak256(0x00, 0x40))
                        log4(log, 0x20, addSetObjectTopic, user, setCid, objectCid)
                        objectCid := calldataload(add(cursor, 0x20))
                        mstore(0x20, objectCid)
                        mstore(0x00, keccak256(0x00, 0x40))
                        log4(log, 0x20, addSetObjectTopic, user, setCid, objectCid)
                        objectCid := calldataload(add(cursor, 0x40))
                        mstore(0x20, objectCid)
                        mstore(0x00, keccak256(0x00, 0x40))
                        log4(log, 0x20, addSetObjectTopic, user, setCid, objectCid)
                        objectCid := calldataload(add(cursor, 0x60))
                        mstore(0x20, objectCid)
                        mstore(0x00, keccak256(0x00, 0x40))
                        log4(log, 0x20, addSetObjectTopic, user, setCid, objectCid)
                        objectCid := calldataload(add(cursor, 0x80))
                        mstore(0x20, objectCid)
                        mstore(0x00, keccak256(0x00, 0x40))
                        log4(log, 0x20, addSetObjectTopic, user, setCid, objectCid)
                        objectCid := calldataload(add(cursor, 0xa0))
                        mstore(0x20, objectCid)
                        mstore(0x00, keccak256(0x00, 0x40))
                        log4(log, 0x20, addSetObjectTopic, user, setCid, objectCid)
                        objectCid := calldataload(add(cursor, 0xc0))
                        mstore(0x20, objectCid)
                        mstore(0x00, keccak256(0x00, 0x40))
                        log4(log, 0x20, addSetObjectTopic, user, setCid, objectCid)
                        objectCid := calldataload(add(cursor, 0xe0))
                        mstore(0x20, objectCid)
                        mstore(0x00, keccak256(0x00, 0x40))
                        log4(log, 0x20, addSetObjectTopic, user, setCid, objectCid)
                    }
                    for {} lt(cursor, end) { cursor := add(cursor, 0x20) } {
                        let objectCid := calldataload(cursor)
                        mstore(0x20, objectCid)
                        mstore(0x00, keccak256(0x00, 0x40))
                        log4(log, 0x20, addSetObjectTopic, user, setCid, objectCid)
                    }
                    sstore(slot, mload(0x00))
                }
            }
            if iszero(eq(cursor, limit)) { fail(invalidBatch) }
        }
    }

    // ---- Delegation

    /// @notice Lets `delegate` write for the sender. Spends the sender's nonce: what the sender signed before and nobody
    /// sent cannot undo it.
    function grant(address delegate) external {
        _spendNonce(msg.sender);
        _granted[delegate][msg.sender] = true;
        emit Grant(msg.sender, delegate);
    }

    /// @notice Ends what `grant` began, and spends the sender's nonce as it does.
    function revoke(address delegate) external {
        _spendNonce(msg.sender);
        _granted[delegate][msg.sender] = false;
        emit Revoke(msg.sender, delegate);
    }

    /// @notice As `grant`, signed by `user` (EIP-712 `Grant`) and sent by anyone.
    function grantBySignature(DelegateData calldata delegateData, address user, bytes calldata signature) external {
        _useNonce(user, delegateData.nonce);
        _requireSignature(user, _delegateHash(GRANT_TYPEHASH, delegateData), signature);
        _granted[delegateData.delegate][user] = true;
        emit GrantBySignature(user, delegateData.delegate, delegateData.nonce);
    }

    /// @notice As `revoke`, signed by `user` (EIP-712 `Revoke`) and sent by anyone.
    function revokeBySignature(DelegateData calldata delegateData, address user, bytes calldata signature) external {
        _useNonce(user, delegateData.nonce);
        _requireSignature(user, _delegateHash(REVOKE_TYPEHASH, delegateData), signature);
        _granted[delegateData.delegate][user] = false;
        emit RevokeBySignature(user, delegateData.delegate, delegateData.nonce);
    }

    // ---- Lanes

    /// @notice Makes `lane` write for the sender, its operator, with the operator's authority and no other.
    /// The lane consents by signing EIP-712 `Lane(operator, nonce)` with its current nonce, so that nobody can bind a
    /// foreign address; a lane has one operator, and only removal frees it. A lane of the sender stays one: no effect.
    function addLane(address lane, bytes calldata signature) external {
        address operator = laneOperator[lane];
        if (operator == msg.sender) return;
        if (operator != address(0)) revert Unauthorized();
        _requireSignature(lane, keccak256(abi.encode(LANE_TYPEHASH, msg.sender, nonces[lane])), signature);
        _spendNonce(lane);
        laneOperator[lane] = msg.sender;
        emit LaneAdded(msg.sender, lane);
    }

    /// @notice Frees a lane; sent by its operator, or by the lane itself. Its earlier consent is spent.
    function removeLane(address lane) external {
        address operator = laneOperator[lane];
        if (operator == address(0) || (msg.sender != operator && msg.sender != lane)) revert Unauthorized();
        laneOperator[lane] = address(0);
        emit LaneRemoved(operator, lane);
    }

    // ---- Views

    /// @notice Whether the sender may write for `user`.
    function checkAuthority(address user) external view returns (bool) {
        return _hasAuthority(user, _actor());
    }

    /// @notice Whether `user` granted `delegate`. Lanes are not resolved.
    function delegatedAuthority(address user, address delegate) external view returns (bool) {
        return _granted[delegate][user];
    }

    /// @notice Whether the set is committed.
    function userSetCommitments(address user, bytes32 setCid) external view returns (bool) {
        return _head(user, setCid) != 0;
    }

    /// @notice The rolling hash of the set's objects: keccak256(user, setCid) when the set is new, then
    /// keccak256(head, objectCid) object after object, all as 32-byte words. Zero when the set is not committed.
    function setHead(address user, bytes32 setCid) external view returns (bytes32) {
        return _head(user, setCid);
    }

    /// @notice The EIP-712 domain, as EIP-5267 describes it.
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        )
    {
        return (hex"0f", NAME, VERSION, block.chainid, address(this), bytes32(0), new uint256[](0));
    }

    // ---- Inside

    /// @dev On whose authority the sender writes for others.
    function _actor() private view returns (address) {
        address operator = laneOperator[msg.sender];
        return operator == address(0) ? msg.sender : operator;
    }

    function _hasAuthority(address user, address actor) private view returns (bool) {
        return user == actor || user == msg.sender || _granted[actor][user];
    }

    function _requireAuthority(address user, address actor) private view {
        if (!_hasAuthority(user, actor)) revert Unauthorized();
    }

    function _addSet(address user, bytes32 setCid) private {
        if (setCid == 0) revert InvalidSet();
        if (_head(user, setCid) != 0) return;
        _setHead(user, setCid, _hashPair(bytes32(uint256(uint160(user))), setCid));
        emit AddSet(user, setCid);
    }

    function _addSetObject(address user, bytes32 setCid, bytes32 objectCid) private {
        bytes32 head = _committedHead(user, setCid);
        _setHead(user, setCid, _hashPair(head, objectCid));
        emit AddSetObject(user, setCid, objectCid, block.timestamp);
    }

    function _addSetObjects(address user, bytes32 setCid, bytes32[] calldata objectCids) private {
        bytes32 head = _committedHead(user, setCid);
        for (uint256 i = 0; i < objectCids.length; ++i) {
            head = _hashPair(head, objectCids[i]);
            emit AddSetObject(user, setCid, objectCids[i], block.timestamp);
        }
        _setHead(user, setCid, head);
    }

    function _addSetsObjects(address user, bytes32[] calldata setCids, bytes32[] calldata objectCids) private {
        if (setCids.length != objectCids.length) revert InvalidBatch();
        for (uint256 i = 0; i < setCids.length; ++i) {
            _addSetObject(user, setCids[i], objectCids[i]);
        }
    }

    /// @dev The zero set is never committed, so it fails here as well.
    function _committedHead(address user, bytes32 setCid) private view returns (bytes32 head) {
        head = _head(user, setCid);
        if (head == 0) revert InvalidSet();
    }

    function _head(address user, bytes32 setCid) private view returns (bytes32 head) {
        bytes32 slot = keccak256(abi.encode(HEADS, setCid, user));
        assembly ("memory-safe") {
            head := sload(slot)
        }
    }

    function _setHead(address user, bytes32 setCid, bytes32 head) private {
        bytes32 slot = keccak256(abi.encode(HEADS, setCid, user));
        assembly ("memory-safe") {
            sstore(slot, head)
        }
    }

    function _hashPair(bytes32 left, bytes32 right) private pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            mstore(0x00, left)
            mstore(0x20, right)
            hash := keccak256(0x00, 0x40)
        }
    }

    function _useNonce(address user, uint256 nonce) private {
        if (nonce != nonces[user]) revert InvalidNonce();
        _spendNonce(user);
    }

    /// @dev Nobody sends 2^256 transactions.
    function _spendNonce(address user) private {
        unchecked {
            ++nonces[user];
        }
    }

    function _delegateHash(bytes32 typehash, DelegateData calldata delegateData) private pure returns (bytes32) {
        return keccak256(abi.encode(typehash, delegateData.delegate, delegateData.nonce));
    }

    function _requireSignature(address signer, bytes32 structHash, bytes calldata signature) private view {
        if (signature.length != 65) revert InvalidSignature();
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        uint8 v = uint8(signature[64]);
        if (uint256(s) > MAX_S || (v != 27 && v != 28)) revert InvalidSignature();
        bytes32 separator = block.chainid == DOMAIN_CHAIN_ID ? DOMAIN_SEPARATOR : _domainSeparator();
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", separator, structHash));
        address recovered = ecrecover(digest, v, r, s);
        if (recovered == address(0) || recovered != signer) revert InvalidSignature();
    }

    function _domainSeparator() private view returns (bytes32) {
        return keccak256(
            abi.encode(
                DOMAIN_TYPEHASH, keccak256(bytes(NAME)), keccak256(bytes(VERSION)), block.chainid, address(this)
            )
        );
    }
}
