// Arrays as numpy saves them: by bytes written here after the format's description, and archives written by libzip.
// tests/python reads what numpy itself wrote.
#include <gtest/gtest.h>
#include <zip.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "properties/dumps/attention_dump.hpp"
#include "properties/dumps/chosen_rows.hpp"
#include "properties/dumps/judged_rows.hpp"
#include "src/core/files.hpp"
#include "src/files/npy.hpp"
#include "src/files/stored_numbers.hpp"
#include "src/files/tensor_file.hpp"
#include "tests/cli/run.hpp"

namespace attncert {
namespace {

std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                const std::string& order = "False") {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  std::string text("\x93NUMPY\x01\0", 8);
  text.append(reinterpret_cast<const char*>(&length), 2);
  return text + header + data;
}

template <class Number>
std::string bytes(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

void write_archive(const std::string& path, const std::map<std::string, std::string>& members) {
  std::filesystem::remove(path);
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE, nullptr);
  ASSERT_NE(archive, nullptr);
  for (const auto& [name, text] : members)
    ASSERT_GE(zip_file_add(archive, name.c_str(), zip_source_buffer(archive, text.data(), text.size(), 0), 0), 0);
  ASSERT_EQ(zip_close(archive), 0);
}

// One query and two keys of size 1: o = 0.5, whatever the softmax's scale.
std::map<std::string, std::string> one_row() {
  return {{"q.npy", npy("<f4", "1, 1", bytes<float>({0}))},
          {"k.npy", npy("<f4", "2, 1", bytes<float>({1, -1}))},
          {"v.npy", npy("<f4", "2, 1", bytes<float>({0, 1}))},
          {"o.npy", npy("<f4", "1, 1", bytes<float>({0.5F}))}};
}

std::string refusal(const std::string& text) {
  const auto tensor = npy_tensor(text, "x.npy");
  return tensor ? "" : tensor.error().message;
}

TEST(Npy, TypesAndShapes) {
  const std::string text = npy("<f8", "2, 1, 3", bytes<double>({1, 2, 3, 4, 5, 6.5}));  // the tensor looks into it
  const auto tensor = npy_tensor(text, "x.npy");
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->shape, (std::vector<std::size_t>{2, 1, 3}));
  EXPECT_EQ((*StoredNumbers::of(*tensor, "x", ""))[5], 6.5);
  EXPECT_EQ(refusal(npy("|u1", "3,", std::string("\x00\x01\xff", 3))), "");
  EXPECT_EQ(refusal(npy("<V2", "1,", "ab")), "");
}

TEST(Npy, WhatIsNotReadIsNamed) {
  const std::string four = bytes<float>({1});
  EXPECT_NE(refusal(npy("<f4", "1,", four, "True")).find("fortran_order"), std::string::npos);
  EXPECT_NE(refusal(npy(">f4", "1,", four)).find("has the type \">f4\""), std::string::npos);
  EXPECT_NE(refusal(npy("<c8", "1,", bytes<double>({1}))).find("has the type \"<c8\""), std::string::npos);
  EXPECT_NE(refusal(npy("<f4", "2,", four)).find("has 4 bytes of data where its shape and type need 8"),
            std::string::npos);
  EXPECT_NE(refusal(npy("<f8", "4294967296, 4294967296", "")).find("more than there can be"), std::string::npos);
  EXPECT_NE(refusal(npy("<f4", "99999999999999999999,", four)).find("overflows"), std::string::npos);
  EXPECT_NE(refusal("no array at all").find("is no array that numpy saved"), std::string::npos);
  EXPECT_NE(refusal(npy("<f4", "1,", four).substr(0, 40)).find("says that its header has"), std::string::npos);
  EXPECT_NE(refusal(npy("|O", "1,", four)).find("does not name type, order and shape"), std::string::npos);
}

TEST(Npy, ArchivesAndFoldersAreDumps) {
  const std::string path = fresh_folder("npz") / "dump.npz";
  auto members = one_row();
  members["scale.npy"] = npy("<f8", "", bytes<double>({0.25}));
  members["causal.npy"] =
      npy("<U12", "", bytes<char32_t>({'b', 'o', 't', 't', 'o', 'm', '-', 'r', 'i', 'g', 'h', 't'}));
  write_archive(path, members);
  const auto dump = AttentionDump::open(path, {});
  ASSERT_TRUE(dump) << dump.error().message;
  EXPECT_EQ(dump->scale(), 0.25);
  EXPECT_EQ(dump->offset(), 1);
  EXPECT_EQ(run_attncert("judge '" + path + "'").status, 0);

  const auto folder = fresh_folder("npy");
  for (const auto& [name, text] : one_row()) write(folder / name, text);
  EXPECT_EQ(run_attncert("judge '" + folder.string() + "'").status, 0);
  write(folder / "o.npy", npy("<f4", "1, 1", bytes<float>({0.5001F})));
  EXPECT_EQ(run_attncert("judge '" + folder.string() + "'").status, 1);
  const Ran single = run_attncert("judge '" + (folder / "o.npy").string() + "'");
  EXPECT_EQ(single.status, 2);
  EXPECT_NE(single.errors.find("is one array"), std::string::npos);
}

TEST(Npy, WhatMayHaveBeenReadIsNotOverlooked) {
  const std::string path = fresh_folder("npz") / "dump.npz";
  for (const auto& [name, text, expected] :
       {std::tuple{std::string("scael.npy"), npy("<f8", "", bytes<double>({0.25})),
                   "\"scael\" is no setting of such a file"},
        {std::string("readme.txt"), std::string("q is x"), "which is no array"},
        {std::string("scale.npy"), npy("<U1", "", bytes<char32_t>({0xe9})), "scale \"?\" is no finite number"}}) {
    auto members = one_row();
    members[name] = text;
    write_archive(path, members);
    const auto dump = AttentionDump::open(path, {});
    ASSERT_FALSE(dump) << name;
    EXPECT_NE(dump.error().message.find(expected), std::string::npos) << dump.error().message;
  }
}

// As of safetensors (bad_dump_test.cpp): an Error of one line, or a dump whose rows are judged.
void damage_archives(std::size_t files, std::uint64_t seed) {
  const std::string path = fresh_folder("npz") / "dump.npz";
  write_archive(path, one_row());
  const std::string whole = *read_text(path);
  std::mt19937_64 engine(seed);
  std::size_t refused = 0;
  for (std::size_t n = 0; n < files; ++n) {
    std::string damaged = whole;
    for (std::uint64_t edits = 1 + engine() % 3; edits > 0; --edits)
      damaged[engine() % whole.size()] = static_cast<char>(engine() % 256);
    if (engine() % 8 == 0) damaged.resize(engine() % whole.size());
    write(path, damaged);
    const auto dump = AttentionDump::open(path, {});
    refused += !dump;
    if (dump) judged(*dump, chosen_rows(*dump, 2, 1), candidates(*dump), 1, {});
    else EXPECT_EQ(dump.error().message.find('\n'), std::string::npos) << dump.error().message;
  }
  EXPECT_GE(refused, files / 4);
  EXPECT_LT(refused, files);
}

TEST(Npy, DamageEndsInALineOrAVerdict) { damage_archives(3000, 5); }
TEST(ManyDamages, OfArchivesEndInALineOrAVerdict) { damage_archives(50'000, 6); }

}  // namespace
}  // namespace attncert
