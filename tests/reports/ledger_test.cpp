// JSON and back is exact, and what is no ledger is refused with one line.
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "reports/json_fields.hpp"
#include "reports/ledger.hpp"
#include "reports/records.hpp"
#include "src/core/hex_text.hpp"
#include "src/core/record.hpp"
#include "tests/reports/sample_ledger.hpp"

namespace attncert {
namespace {

class LedgerFile : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    std::ofstream(file_, std::ios::binary) << text;
    return file_;
  }
  void TearDown() override { std::filesystem::remove(file_); }
  std::filesystem::path file_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("ledger_") + testing::UnitTest::GetInstance()->current_test_info()->name() + ".json");
};

TEST_F(LedgerFile, ReadsBackWhatWasWritten) {
  const std::string text = to_json(sample_ledger());
  const Result<Ledger> read = read_ledger(write(text));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(to_json(*read) ==
              text);  // every field is in the text: a field that the reader drops comes back different
}

TEST_F(LedgerFile, TakesAnOlderOneWithoutMeasuredNumbers) {
  std::string text = to_json(sample_ledger());
  const auto cut = [&](const std::string& part) {
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part)) text.erase(at, part.size());
  };
  cut(",\n   \"measured\": []");
  cut(",\n   \"measured\": [\n    {\n     \"what\": \"mean share at N = L/8\",\n     \"value\": \"0.98 (1,600 "
      "rows)\"\n    },\n"
      "    {\n     \"what\": \"windows\",\n     \"value\": \"2\"\n    }\n   ]");
  ASSERT_EQ(text.find("\"measured\":"), std::string::npos);
  const Result<Ledger> read = read_ledger(write(text));
  ASSERT_TRUE(read) << read.error().message;
  for (const LedgerClaim& claim : read->claims) EXPECT_TRUE(claim.measured.empty());
  const std::string whole = to_json(sample_ledger());
  text = whole;
  text.replace(text.find("\"2\"\n    }"), 3, "2");
  const Result<Ledger> wrong = read_ledger(write(text));
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("measured[1].value is not a text"), std::string::npos) << wrong.error().message;
}

// The version before: other names for two fields, and another for the format.
TEST_F(LedgerFile, TakesTheNamesOfTheVersionBefore) {
  const std::string text = to_json(sample_ledger());
  std::string older = text;
  for (const auto& [now, before] :
       {std::pair{"\"equality\":", "\"touching\":"}, std::pair{"\"largest_rounding\":", "\"largest_snap\":"},
        std::pair{"attncert-ledger/2", "attncert-ledger/1"}})
    for (std::size_t at = older.find(now); at != std::string::npos; at = older.find(now))
      older.replace(at, std::string(now).size(), before);
  ASSERT_NE(older, text);
  const Result<Ledger> read = read_ledger(write(older));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->earlier_format, "attncert-ledger/1");
  EXPECT_EQ(read->claims[0].counts.equality, 3u);
  EXPECT_EQ(read->real->largest_rounding, 0x1p-31);
  EXPECT_EQ(to_json(*read), text);
  EXPECT_TRUE(read_ledger(write(text))->earlier_format.empty());
}

TEST_F(LedgerFile, KeepsTheBitsOfNumbers) {
  const Ledger original = sample_ledger();
  const Result<Ledger> read = read_ledger(write(to_json(original)));
  ASSERT_TRUE(read) << read.error().message;
  for (std::size_t i = 0; i < original.claims.size(); ++i) {
    ASSERT_EQ(read->claims[i].tightest.has_value(), original.claims[i].tightest.has_value());
    if (!original.claims[i].tightest) continue;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read->claims[i].tightest->tightness),
              std::bit_cast<std::uint64_t>(original.claims[i].tightest->tightness))
        << original.claims[i].id;
  }
  EXPECT_EQ(read->kernels[0].worst_ulp, original.kernels[0].worst_ulp);
  EXPECT_EQ(read->kernels[0].elements, original.kernels[0].elements);
  EXPECT_EQ(read->kernels[1].worst_ulp, original.kernels[1].worst_ulp);
  EXPECT_EQ(read->plan.seed, original.plan.seed);
  EXPECT_EQ(read->environment.libraries, original.environment.libraries);
  EXPECT_EQ(read->claims[0].by_source.at("real").discarded, original.claims[0].by_source.at("real").discarded);
  ASSERT_TRUE(read->claims[1].witness && read->claims[1].witness->instance);
  EXPECT_EQ(expanded(read->claims[1].witness->instance->logits),
            expanded(original.claims[1].witness->instance->logits));
}

TEST_F(LedgerFile, HexTextsAreThoseOfTheStandard) {  // C17 7.21.6.1, %a; the values written down by hand
  EXPECT_EQ(hex_text(0.1875), "0x1.8p-3");
  EXPECT_EQ(hex_text(-0.0), "-0x0p+0");
  EXPECT_EQ(hex_text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(hex_text(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(from_hex_text("0x1.8p-3"), 0.1875);
  for (const char* bad : {"", "0x", "1.5", "0x1.8p-3 ", "--0x1p+0", "0x-1p+0", "infinity", "0x1p+99999"})
    EXPECT_FALSE(from_hex_text(bad)) << bad;
}

TEST_F(LedgerFile, OnlyTimesAndPathsStandUnderTiming) {
  Ledger first = sample_ledger(), second = sample_ledger();
  second.timing = {"2030-01-01T00:00:00Z", 99, "elsewhere", {}};
  const std::string a = to_json(first), b = to_json(second);
  EXPECT_EQ(a.substr(0, a.find("\"timing\"")), b.substr(0, b.find("\"timing\"")));
}

TEST_F(LedgerFile, NamesWithBytesThatAreNoTextDoNotThrow) {
  Ledger ledger = sample_ledger();
  ledger.plan.text = "caf\xE9.txt";  // Latin-1
  EXPECT_TRUE(read_ledger(write(to_json(ledger))));
}

// Each damage names the value that is wrong, the file, and what to give instead, on one line.
TEST_F(LedgerFile, RefusesWhatIsNoLedger) {
  const std::string good = to_json(sample_ledger());
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return text.replace(place, from.size(), to);
  };
  const std::vector<std::pair<std::string, std::string>> damages{
      {"", "not valid JSON"},
      {good.substr(0, good.size() / 2), "not valid JSON"},
      {good + "}", "not valid JSON"},
      {good + std::string(1, '\0'), "byte 0"},
      {replaced("\"cpu\":", "\"cpu\": \"another\", \"cpu\":"), "\"cpu\" appears twice"},
      {"[]", "the file is not an object"},
      {"{}", "format is missing"},
      {std::string(100'000, '['), "nests deeper"},
      {replaced("attncert-ledger/2", "attncert-ledger/9"), "format is not"},
      {replaced("\"seed\": 18446744073709551615", "\"seed\": -1"), "plan.seed is not a whole number"},
      {replaced("\"tried\": 22355", "\"tried\": 1.5"), "claims[0].counts.tried is not a whole number"},
      {replaced("\"agrees\": true", "\"agrees\": 1"), "claims[0].agrees is not true or false"},
      {replaced("\"0x1.0000000000001p+12\"", "\"huge\""), "claims[1].tightest.tightness is not a number"},
      {replaced("\"cpu\":", "\"gpu\":"), "environment.cpu is missing"},
      {replaced("\"max_bits\": 256", "\"max_bits\": 99999999999"), "claims[0].max_bits is too large"},
      {replaced("\"attncert-witness/1\"", "\"attncert-witness/9\""), "claims[1].witness is no witness"},
      {replaced("\"worst_ulp\": 0.30000000000000004", "\"worst_ulp\": null"), "kernels[0].worst_ulp is not a number"}};
  for (const auto& [text, fault] : damages) {
    const Result<Ledger> read = read_ledger(write(text));
    ASSERT_FALSE(read) << fault;
    EXPECT_NE(read.error().message.find(fault), std::string::npos) << read.error().message;
    EXPECT_TRUE(read.error().message.starts_with(file_.string() + ": "));
    EXPECT_EQ(read.error().message.find('\n'), std::string::npos) << read.error().message;
  }
}

// A ledger is printed on terminals: what it says cannot move their cursor.
TEST_F(LedgerFile, TextsOfAFileAreMadePrintable) {
  const std::string good = to_json(sample_ledger());
  const std::string key = "\"cpu\": \"";
  std::string text = good;
  const auto place = text.find(key);
  ASSERT_NE(place, std::string::npos);
  text.insert(place + key.size(), "\\u001b[2J\\u009b");
  const Result<Ledger> read = read_ledger(write(text));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_NE(to_json(*read).find("?[2J??"), std::string::npos);
  EXPECT_EQ(to_json(*read).find("u001b"), std::string::npos);
}

// A reader that looks for every key among all before it took 8 s on such a file; now it takes 0.05 s.
TEST_F(LedgerFile, ManyKeysTakeTimeInProportion) {
  std::string text = "{\"last\": 0";
  for (int key = 0; key < 60'000; ++key) text += ",\"k" + std::to_string(key) + "\":0";
  text += "}";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(ledger_from_json(text, "ledger"));
  EXPECT_FALSE(read_record<TaskRecord>(text, "record"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
}

// A parser that looked back at every end of an item took 12 s on such a list; now it takes 0.2 s.
TEST_F(LedgerFile, ManyItemsTakeTimeInProportion) {
  std::string text = "{\"items\": [{}";
  for (int item = 0; item < 300'000; ++item) text += ",{\"k\":0}";
  text += "]}";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(ledger_from_json(text, "ledger"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
}

// Of rows with faults the first counts, whatever thread meets it; its byte is counted in the whole text.
TEST_F(LedgerFile, RowsInPartsHaveTheirPlaces) {
  Ledger ledger = sample_ledger();
  ledger.kernels.resize(2000, ledger.kernels[0]);
  const std::string good = to_json(ledger), key = "\"elements\": ";
  EXPECT_EQ(to_json(*ledger_from_json(good, "ledger")), good);
  std::size_t row = good.find("\"kernels\": ["), last = good.rfind(key, good.find("\"faults\": ["));
  for (int n = 0; n < 1500; ++n) row = good.find(key, row + 1);
  const auto damaged = [&](const std::string& text) {
    std::string both = good;
    both.replace(last, key.size(), text);
    return both.replace(row, key.size(), text);
  };
  json_fields::Read whole;
  const std::string no_json = damaged("\"elements\": {}"), plain = json_fields::parse(no_json, whole);
  EXPECT_NE(plain.find("not valid JSON, byte "), std::string::npos) << plain;  // by one reader of the whole text
  const auto unread = ledger_from_json(no_json, "ledger"),
             lacking = ledger_from_json(damaged("\"elephants\": "), "ledger");
  ASSERT_TRUE(!unread && !lacking);
  EXPECT_NE(unread.error().message.find(plain + ";"), std::string::npos) << unread.error().message << plain;
  EXPECT_NE(lacking.error().message.find("kernels[1499].elements is missing"), std::string::npos)
      << lacking.error().message;
}

TEST_F(LedgerFile, RefusesWhatCannotBeRead) {
  EXPECT_FALSE(read_ledger("no/such/ledger.json"));
  EXPECT_FALSE(read_ledger(testing::TempDir()));  // a folder
}

}  // namespace
}  // namespace attncert
